// The acp runtime as a plugin: its options, and whether agh can run here.
import { AoError } from '../../contract/errors.ts'
import { definePlugin } from '../../slots/plugin.ts'
import { type AcpOptions, createAcpRuntime } from './acp-runtime.ts'
import { createLink } from './daemon-link.ts'

export const plugin = definePlugin({
  manifest: {
    slot: 'runtime',
    name: 'acp',
    description: 'Runs each agent as a durable agh session over the Agent Client Protocol',
    version: '1.0.0',
  },
  create: (options, context) => createAcpRuntime(readOptions(options), context),
  async detect(context) {
    const { detectAgh } = await import('./detect-agh.ts')
    return detectAgh(createLink(context).paths)
  },
})

function readOptions({ graceMs, ...unknown }: Record<string, unknown>): AcpOptions {
  const [stray] = Object.keys(unknown)
  if (stray !== undefined) throw invalid(`${stray} is unknown; there is graceMs`)
  if (graceMs === undefined) return {}
  if (typeof graceMs !== 'number' || !(graceMs >= 0)) throw invalid('graceMs must be a number of milliseconds')
  return { graceMs }
}

function invalid(why: string): AoError {
  return new AoError('CONFIG_INVALID', `Options of the acp runtime: ${why}`)
}
