// The board's words that the page needs at runtime; separate from the schemas, which it does not load.

/** What a session needs from the person; the board's columns, in this order. */
export const BOARD_COLUMNS = ['needs_you', 'ready_to_merge', 'in_review', 'working', 'done'] as const
export type BoardColumn = (typeof BOARD_COLUMNS)[number]

/** The id of the notice that the sessions themselves cannot be read. */
export const UNREADABLE_NOTICE = 'reading'
