// Which daemon can do what. A daemon outlives an upgrade of the commands that use it.

/** Increased when a daemon learns what a command must not ask of one that has not. 1: before daemons said it. */
export const DAEMON_PROTOCOL = 2

/** The first that can end without its agents. An earlier one dies of the signal, and its turns with it. */
export const LEAVES_SINCE = 2

/** On every response of the daemon: what it can do. */
export const PROTOCOL_HEADER = 'agh-protocol'
