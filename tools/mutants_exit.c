/* For the build of `make mutants` that notes which lines run: a process that ends by _exit or abort
 * writes its notes first. The linker's --wrap puts these in the place of the two functions. */
void __gcov_dump(void);
_Noreturn void __real__exit(int status);
_Noreturn void __real_abort(void);
_Noreturn void __wrap__exit(int status);
_Noreturn void __wrap_abort(void);

_Noreturn void __wrap__exit(int status)
{
    __gcov_dump();
    __real__exit(status);
}

_Noreturn void __wrap_abort(void)
{
    __gcov_dump();
    __real_abort();
}
