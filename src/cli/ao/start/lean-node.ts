/**
 * Flags of Node for the loop. It lives for weeks on a small heap (40 MB for 10,000 records), and each list of all sessions
 * leaves tens of megabytes of garbage behind. By default V8 lets its young generation grow to 128 MB then, three times the
 * live size, and returns it only after a minute without a request; so it is collected early instead. A smaller maximum heap
 * makes the old generation grow in smaller steps; a gigabyte is far above what the loop needs.
 */
export const LEAN_NODE = ['--max-semi-space-size=8', '--initial-old-space-size=24', '--max-old-space-size=1024']
