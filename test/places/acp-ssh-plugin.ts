// `runtime: acp` in a place of the test's own, as the runtime suite uses it.
import type { Plugin } from '../../src/slots/plugin.ts'
import { plugin as ssh } from './ssh-plugin.ts'

export const plugin: Plugin<'runtime'> = {
  ...ssh,
  manifest: { ...ssh.manifest, name: 'acp@ssh' },
  create: (options, context) => ssh.create(options, { ...context, place: { name: 'ssh', overProtocol: true } }),
}
