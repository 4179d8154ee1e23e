// The slots a plugin can fill. Separate from the schema, so that naming a slot does not load a validator.

export const SLOT_NAMES = ['runtime', 'agent', 'workspace', 'tracker', 'scm', 'notifier', 'terminal'] as const
export type SlotName = (typeof SLOT_NAMES)[number]
