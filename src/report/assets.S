/* The page's parts inside the program: neither `coppice report` nor the live view needs a file
 * beside it.
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
    asset cop_report_licences, "licences.html"
    asset cop_live_page, "live.html"
    asset cop_live_script, "live.js"
    .section .note.GNU-stack, "", %progbits
