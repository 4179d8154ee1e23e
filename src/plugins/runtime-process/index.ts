// The process runtime as a plugin: its options and whether a pseudo terminal can be made here.
import { AoError, errorText } from '../../contract/errors.ts'
import { definePlugin } from '../../slots/plugin.ts'
import { createProcessRuntime, type ProcessOptions } from './process-runtime.ts'

export const plugin = definePlugin({
  manifest: {
    slot: 'runtime',
    name: 'process',
    description: 'Runs each agent under a small process of its own, without tmux',
    version: '1.0.0',
  },
  create: (options, context) => createProcessRuntime(readOptions(options), context),
  async detect() {
    try {
      await import('@lydell/node-pty')
      return { ok: true, detail: 'pseudo terminals work' }
    } catch (error) {
      return { ok: false, detail: errorText(error), fix: 'Reinstall ao on this machine, or use: runtime: tmux' }
    }
  },
})

function readOptions({ graceMs = 3_000, ...unknown }: Record<string, unknown>): ProcessOptions {
  const [stray] = Object.keys(unknown)
  if (stray !== undefined) throw invalid(`${stray} is unknown; there is graceMs`)
  if (typeof graceMs !== 'number' || !(graceMs >= 0)) throw invalid('graceMs must be a number of milliseconds')
  return { graceMs }
}

function invalid(why: string): AoError {
  return new AoError('CONFIG_INVALID', `Options of the process runtime: ${why}`)
}
