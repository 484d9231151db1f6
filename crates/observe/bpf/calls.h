/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/*
 * System calls on files: number, first arguments, the file that a descriptor stands for, and whether a call was broken off. For a
 * probe that has defined `struct task_struct` with its `files`.
 */

#define FORMAT_MASK 0170000    /* S_IFMT */
#define FORMAT_BLOCK 0060000   /* S_IFBLK */
#define FORMAT_REGULAR 0100000 /* S_IFREG */
#define CALLS 512              /* numbers of system calls, with room */
#define INTERRUPTED (-4)       /* -EINTR */
#define RESTARTED_MAX (-512)   /* -ERESTARTSYS */
#define RESTARTED_MIN (-516)   /* -ERESTART_RESTARTBLOCK */

struct pt_regs {
    unsigned long di;
    unsigned long si;
    unsigned long orig_ax;
} RELOCATED;

/* On 64-bit ARM. */
struct pt_regs___arm64 {
    u64 regs[31];
    int syscallno;
} RELOCATED;

struct super_block {
    u32 s_dev;
} RELOCATED;

struct inode {
    u16 i_mode;
    u32 i_generation;
    struct super_block *i_sb;
    unsigned long i_ino;
} RELOCATED;

struct file {
    u32 f_flags;
    struct inode *f_inode;
} RELOCATED;

struct fdtable {
    u32 max_fds;
    struct file **fd;
} RELOCATED;

struct files_struct {
    struct fdtable *fdt;
} RELOCATED;

INLINE u64 first_argument(struct pt_regs *registers)
{
    struct pt_regs___arm64 *arm = (void *)registers;

    return EXISTS(arm->syscallno) ? READ(arm, regs[0]) : READ(registers, di);
}

INLINE u64 second_argument(struct pt_regs *registers)
{
    struct pt_regs___arm64 *arm = (void *)registers;

    return EXISTS(arm->syscallno) ? READ(arm, regs[1]) : READ(registers, si);
}

/* Of the call that ends. */
INLINE u64 number_of(struct pt_regs *registers)
{
    struct pt_regs___arm64 *arm = (void *)registers;

    return EXISTS(arm->syscallno) ? (u64)READ(arm, syscallno) : READ(registers, orig_ax);
}

/* The file that a descriptor of the process at work stands for, where it is one that can be flushed: no pipe or socket. */
INLINE struct file *file_of(u64 descriptor)
{
    struct files_struct *files = READ((struct task_struct *)current_task(), files);
    struct fdtable *table = READ(files, fdt);
    struct file **entries = READ(table, fd);
    struct file *file = 0;
    u32 format;

    if (descriptor >= READ(table, max_fds))
        return 0;
    read_kernel(&file, sizeof(file), entries + descriptor);
    format = file ? READ(READ(file, f_inode), i_mode) & FORMAT_MASK : 0;
    return format == FORMAT_REGULAR || format == FORMAT_BLOCK ? file : 0;
}

/* Whether a signal came before the call had done anything: it is called again, by the kernel or by the program. */
INLINE int is_broken_off(long result)
{
    return result == INTERRUPTED || (result <= RESTARTED_MAX && result >= RESTARTED_MIN);
}
