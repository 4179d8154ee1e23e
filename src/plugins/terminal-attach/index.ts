// The terminal `attach` as a plugin: the session in the very terminal where the command was typed.
import { definePlugin, NO_OPTIONS } from '../../slots/plugin.ts'
import { createAttachTerminal } from './attach-terminal.ts'

export const plugin = definePlugin({
  manifest: {
    slot: 'terminal',
    name: 'attach',
    description: 'Opens a session in the terminal you are in',
  },
  options: NO_OPTIONS,
  create: (_options, context) => createAttachTerminal(context),
  detect: async () => ({ ok: true, detail: 'ships with ao' }),
})
