// The process runtime as a plugin: its options and whether a pseudo terminal can be made here.
import * as z from 'zod/mini'
import { AoError, errorText } from '../../contract/errors.ts'
import { definePlugin } from '../../slots/plugin.ts'
import { createProcessRuntime } from './process-runtime.ts'

const optionsSchema = z.strictObject({
  graceMs: z._default(z.number().check(z.minimum(0)), 3_000),
})

export const plugin = definePlugin({
  manifest: {
    slot: 'runtime',
    name: 'process',
    description: 'Runs each agent under a small process of its own, without tmux',
    version: '1.0.0',
  },
  create(options, context) {
    const parsed = optionsSchema.safeParse(options)
    if (!parsed.success) {
      throw new AoError('CONFIG_INVALID', `Options of the process runtime: ${z.prettifyError(parsed.error)}`)
    }
    return createProcessRuntime(parsed.data, context)
  },
  async detect() {
    try {
      await import('@lydell/node-pty')
      return { ok: true, detail: 'pseudo terminals work' }
    } catch (error) {
      return { ok: false, detail: errorText(error), fix: 'Reinstall ao on this machine, or use: runtime: tmux' }
    }
  },
})
