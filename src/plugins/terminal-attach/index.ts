// The terminal `attach` as a plugin: the session in the very terminal where the command was typed.
import { AoError } from '../../contract/errors.ts'
import { definePlugin } from '../../slots/plugin.ts'
import { createAttachTerminal } from './attach-terminal.ts'

export const plugin = definePlugin({
  manifest: {
    slot: 'terminal',
    name: 'attach',
    description: 'Opens a session in the terminal you are in',
    version: '1.0.0',
  },
  create(options, context) {
    const unknown = Object.keys(options)
    if (unknown.length > 0) {
      throw new AoError('CONFIG_INVALID', `The terminal attach has no option ${unknown.join(', ')}`)
    }
    return createAttachTerminal(context)
  },
  detect: async () => ({ ok: true, detail: 'ships with ao' }),
})
