/* The page's parts inside the program: `coppice report` needs no file beside it.
 * The Makefile gives the folder of the bundled script as -I. Read-only, zero at the end. */
    .section .rodata
    .macro asset name, file
    .global \name
    .type \name, %object
    .balign 16
\name:
    .incbin "\file"
    .byte 0
    .size \name, . - \name
    .endm
    asset cop_report_page, "page.html"
    asset cop_report_css, "page.css"
    asset cop_report_script, "report.js"
    .section .note.GNU-stack, "", %progbits
