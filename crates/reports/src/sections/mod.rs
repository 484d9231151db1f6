//! The registry of typed views. A new one is a file here and its name in the list.

mod apply;
mod buckets;
mod damaged_headings;
pub mod damaged_ids;
pub mod damaged_titles;
pub mod doubled_rows;
mod find;
mod iostat;
mod layout;
mod library_cache_gain;
mod lost_titles;
mod mend;
pub mod nameless;
mod odd_rows;
pub mod origins;
mod reading;
mod space_io;
#[cfg(test)]
mod testing;
mod typed;
pub mod view;
mod waits;

/// Stands for the release of a report whose head lacks it, or is not there.
pub const RELEASE_LOST: &str = "?";

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::LazyLock;

use serde_json::{Value, json};

pub use self::apply::apply;
pub use self::typed::Typed;
use self::view::View;
use crate::memo::Memo;
use crate::words::plain_title;

macro_rules! views {
    ($($name:ident),* $(,)?) => {
        $(mod $name;)*
        /// All views, in the order of outputs.
        pub static ALL: &[&View] = &[$(&$name::VIEW),*];
    };
}

views!(
    load_profile,
    load_profile_compared,
    load_ratios,
    instance_efficiency,
    shared_pool_statistics,
    cache_sizes,
    top_events_compared,
    top_events,
    wait_classes,
    foreground_waits,
    background_waits,
    wait_events,
    wait_histogram,
    time_model,
    host_cpu,
    instance_cpu,
    os_statistics,
    os_statistics_detail,
    memory_statistics,
    memory_statistics_compared,
    io_profile,
    iostat_by_function,
    iostat_by_filetype,
    iostat_by_function_filetype,
    tablespace_io,
    file_io,
    file_read_histogram,
    log_switches,
    instance_activity,
    rac_system_statistics,
    service_statistics,
    sql,
    sql_text,
    segments,
    buffer_pool,
    buffer_pool_advisory,
    checkpoint_activity,
    instance_recovery,
    mttr_advisory,
    pga_summary,
    pga_targets,
    pga_targets_by_instance,
    pga_histogram,
    pga_advisory,
    sga_advisory,
    shared_pool_advisory,
    java_pool_advisory,
    streams_pool_advisory,
    memory_target_advisory,
    buffer_waits,
    enqueues,
    undo_summary,
    undo_stats,
    latches,
    latch_sleeps,
    latch_misses,
    mutex_sleeps,
    dictionary_cache,
    dictionary_cache_rac,
    library_cache,
    library_cache_rac,
    memory_components,
    memory_resize_summary,
    memory_resize,
    process_memory,
    process_memory_by_instance,
    sga_summary,
    sga_difference,
    resource_limits,
    parameters,
    addm_findings,
    addm_findings_text,
    addm_analyses,
    rac_load_profile,
    rac_sysstat,
    rac_efficiency,
    rac_workload,
    rac_messaging,
    rac_cr_served,
    rac_current_served,
    rac_current_served_by_instance,
    rac_transfer,
    rac_transfer_immediate,
    interconnect_ping,
    interconnect_client,
    interconnect_device,
    top_sql_events,
    top_sessions,
    top_blocking_sessions,
    top_db_objects,
    top_session_events,
    top_plsql,
    activity_over_time,
    exadata_io_summary,
    exadata_cell_summary,
    exadata_cell_ios,
    exadata_cell_throughput,
    exadata_cell_latency,
    exadata_os_io,
    exadata_os_latency,
    exadata_os_cpu,
    exadata_flash_reads,
    exadata_flash_efficiency,
    exadata_flash_writes,
    exadata_flash_log,
    exadata_smart_io,
    exadata_disk_activity,
    exadata_cache_savings,
    exadata_small_reads,
    exadata_io_reasons,
    exadata_storage,
    asm_disk_groups,
    miner_main_metrics,
    miner_os_information,
    miner_io_wait_histogram,
    miner_iostat_by_function,
    miner_sysstat,
    miner_top_events,
    miner_size_on_disk,
    miner_memory,
);

/// Every view with its columns: name, about, columns.
pub fn schema() -> Value {
    ALL.iter()
        .map(|view| json!({ "name": view.name, "about": view.about, "columns": columns(view) }))
        .collect()
}

fn columns(view: &View) -> Value {
    let columns = view.columns.iter();
    columns
        .map(|column| {
            json!({
                "name": column.name,
                "type": column.value.type_name(),
                "unit": column.value.unit(),
                "about": column.about,
            })
        })
        .collect()
}

/// A title as it is compared, and the views that read tables of it: those that name all of it first.
#[derive(Clone)]
pub struct Titled {
    /// In lower case without spaces, each number as `#`.
    pub plain: Rc<str>,
    /// The views.
    pub views: Rc<[&'static View]>,
}

/// What is known of a title.
pub fn for_title(title: &str) -> Titled {
    KNOWN.with_borrow_mut(|known| known.of(title, || Titled::read(title)))
}

thread_local! {
    static KNOWN: RefCell<Memo<Titled>> = RefCell::default();
}

impl Titled {
    fn read(title: &str) -> Self {
        let plain = plain_title(title);
        let exact = WHOLE_TITLES.get(plain.as_str()).into_iter().flatten();
        let begun = TITLES_BEGUN.iter().filter(|(begin, _)| plain.starts_with(begin)).map(|(_, view)| view);
        Self { views: exact.chain(begun).copied().collect(), plain: plain.into() }
    }
}

/// Views by the titles that they name in whole.
static WHOLE_TITLES: LazyLock<HashMap<&str, Vec<&View>>> = LazyLock::new(|| {
    let mut views: HashMap<&str, Vec<&View>> = HashMap::new();
    for view in ALL {
        for title in view.titles.iter().filter(|title| !title.ends_with('*')) {
            views.entry(title).or_default().push(view);
        }
    }
    views
});

/// Views by how titles of theirs begin, each view once for a title.
static TITLES_BEGUN: LazyLock<Vec<(&str, &View)>> = LazyLock::new(|| {
    let begins = |view: &'static View| {
        view.titles.iter().filter_map(move |title| Some((title.strip_suffix('*')?, view)))
    };
    ALL.iter().flat_map(|view| begins(view)).collect()
});

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::{ALL, for_title};
    use crate::words::plain_title;

    #[test]
    fn names_of_views_and_columns_are_their_own() {
        let names: HashSet<_> = ALL.iter().map(|view| view.name).collect();
        assert_eq!(names.len(), ALL.len());
        for view in ALL {
            let columns: HashSet<_> = view.columns.iter().map(|column| column.name).collect();
            assert_eq!(columns.len(), view.columns.len(), "{}", view.name);
        }
    }

    #[test]
    fn titles_are_written_as_they_are_compared_and_lead_to_their_view() {
        for view in ALL {
            for title in view.titles {
                assert_eq!(&plain_title(title), title, "{}", view.name);
                let found = for_title(title.trim_end_matches('*')).views;
                assert!(
                    found.iter().any(|found| found.name == view.name),
                    "{title} of {} leads elsewhere",
                    view.name
                );
            }
        }
    }
}
