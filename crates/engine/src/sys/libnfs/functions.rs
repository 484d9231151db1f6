//! The functions of libnfs that are called, and in which versions of it they are as they are called here.

use std::ffi::{CStr, c_char};
use std::sync::OnceLock;

use libc::{c_int, c_void};

/// Debian's package.
pub const PACKAGE: &str = "libnfs13";

/// Versions whose functions are these: 4.0, and 5.0. From 6.0 on (`libnfs.so.16`) reads and writes take their arguments in another
/// order.
const KNOWN: [&CStr; 2] = [c"libnfs.so.13", c"libnfs.so.14"];

/// struct nfs_context; only libnfs knows what is in it.
#[repr(C)]
pub struct RawContext {
    _hidden: [u8; 0],
}

/// struct nfsfh.
#[repr(C)]
pub struct RawFile {
    _hidden: [u8; 0],
}

/// struct nfs_url.
#[repr(C)]
pub struct RawUrl {
    _hidden: [u8; 0],
}

/// struct nfs_stat_64.
#[repr(C)]
#[derive(Debug, Default)]
pub struct Stat {
    pub device: u64,
    pub inode: u64,
    pub mode: u64,
    pub links: u64,
    pub uid: u64,
    pub gid: u64,
    pub special: u64,
    pub size: u64,
    pub block_bytes: u64,
    pub blocks: u64,
    pub accessed_s: u64,
    pub modified_s: u64,
    pub changed_s: u64,
    pub accessed_ns: u64,
    pub modified_ns: u64,
    pub changed_ns: u64,
    pub used: u64,
}

/// nfs_cb.
pub type OnEnd = extern "C" fn(c_int, *mut RawContext, *mut c_void, *mut c_void);

/// Finds each function by its name.
macro_rules! functions {
    ($($name:ident = $symbol:literal: fn($($argument:ty),*) $(-> $result:ty)?;)*) => {
        /// Where they are.
        pub struct Functions {
            $(pub $name: unsafe extern "C" fn($($argument),*) $(-> $result)?,)*
        }

        impl Functions {
            /// # Safety
            /// The library's functions must be of these types.
            unsafe fn find(library: *mut c_void) -> Result<Self, String> {
                Ok(Self {
                    $($name: {
                        let name = concat!($symbol, "\0");
                        // SAFETY: the library is loaded and the name ends with 0.
                        let address = unsafe { libc::dlsym(library, name.as_ptr().cast()) };
                        if address.is_null() {
                            return Err(format!("the libnfs that is installed has no {}", $symbol));
                        }
                        // SAFETY: it is not null, and its type is the caller's promise.
                        unsafe {
                            std::mem::transmute::<*mut c_void, unsafe extern "C" fn($($argument),*) $(-> $result)?>(address)
                        }
                    },)*
                })
            }
        }
    };
}

functions! {
    init_context = "nfs_init_context": fn() -> *mut RawContext;
    destroy_context = "nfs_destroy_context": fn(*mut RawContext);
    get_error = "nfs_get_error": fn(*mut RawContext) -> *const c_char;
    parse_url_dir = "nfs_parse_url_dir": fn(*mut RawContext, *const c_char) -> *mut RawUrl;
    destroy_url = "nfs_destroy_url": fn(*mut RawUrl);
    set_version = "nfs_set_version": fn(*mut RawContext, c_int) -> c_int;
    set_client_name = "nfs4_set_client_name": fn(*mut RawContext, *const c_char);
    set_timeout = "nfs_set_timeout": fn(*mut RawContext, c_int);
    set_autoreconnect = "nfs_set_autoreconnect": fn(*mut RawContext, c_int);
    set_uid = "nfs_set_uid": fn(*mut RawContext, c_int);
    set_gid = "nfs_set_gid": fn(*mut RawContext, c_int);
    get_readmax = "nfs_get_readmax": fn(*mut RawContext) -> u64;
    get_writemax = "nfs_get_writemax": fn(*mut RawContext) -> u64;
    mount = "nfs_mount": fn(*mut RawContext, *const c_char, *const c_char) -> c_int;
    stat64 = "nfs_stat64": fn(*mut RawContext, *const c_char, *mut Stat) -> c_int;
    open = "nfs_open": fn(*mut RawContext, *const c_char, c_int, *mut *mut RawFile) -> c_int;
    close = "nfs_close": fn(*mut RawContext, *mut RawFile) -> c_int;
    fstat64 = "nfs_fstat64": fn(*mut RawContext, *mut RawFile, *mut Stat) -> c_int;
    pread = "nfs_pread": fn(*mut RawContext, *mut RawFile, u64, u64, *mut c_void) -> c_int;
    get_fd = "nfs_get_fd": fn(*mut RawContext) -> c_int;
    which_events = "nfs_which_events": fn(*mut RawContext) -> c_int;
    service = "nfs_service": fn(*mut RawContext, c_int) -> c_int;
    pread_async = "nfs_pread_async": fn(*mut RawContext, *mut RawFile, u64, u64, OnEnd, *mut c_void) -> c_int;
    pwrite_async = "nfs_pwrite_async": fn(*mut RawContext, *mut RawFile, u64, u64, *const c_void, OnEnd, *mut c_void) -> c_int;
    fsync_async = "nfs_fsync_async": fn(*mut RawContext, *mut RawFile, OnEnd, *mut c_void) -> c_int;
}

/// The functions of the library that is installed, loaded the first time; or why there are none.
pub fn functions() -> Result<&'static Functions, String> {
    static LOADED: OnceLock<Result<Functions, String>> = OnceLock::new();
    LOADED.get_or_init(load).as_ref().map_err(Clone::clone)
}

/// Whether it can be used here.
pub fn probe() -> Result<(), String> {
    functions().map(|_| ())
}

fn load() -> Result<Functions, String> {
    for name in KNOWN {
        // SAFETY: the name ends with 0; what the library does when it is loaded is nothing but to be there.
        let library = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
        if !library.is_null() {
            // SAFETY: this version's functions are of these types.
            return unsafe { Functions::find(library) };
        }
    }
    let known: Vec<_> = KNOWN.iter().map(|name| name.to_string_lossy()).collect();
    Err(format!(
        "no libnfs is installed whose functions are known here ({}; Debian's package {PACKAGE})",
        known.join(" or ")
    ))
}
