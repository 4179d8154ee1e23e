// The process runtime as a plugin: its options and whether a pseudo terminal can be created here.
import * as z from 'zod/mini'
import { errorText } from '../../contract/errors.ts'
import { definePlugin } from '../../slots/plugin.ts'
import { createProcessRuntime } from './process-runtime.ts'

export const plugin = definePlugin({
  manifest: {
    slot: 'runtime',
    name: 'process',
    description: 'Runs each agent under a small process, without tmux',
  },
  options: z.strictObject({ graceMs: z._default(z.number().check(z.minimum(0, 'must not be negative')), 3_000) }),
  create: (options, context) => createProcessRuntime(options, context),
  async detect() {
    try {
      await import('@lydell/node-pty')
      return { ok: true, detail: 'pseudo terminals work' }
    } catch (error) {
      return { ok: false, detail: errorText(error), fix: 'Reinstall ao on this machine, or use: runtime: tmux' }
    }
  },
})
