// `runtime: acp` in a place of the test's own, as the runtime suite uses it.
import type { Plugin } from '../../src/slots/plugin.ts'
import { plugin as docker } from './docker-plugin.ts'

export const plugin: Plugin<'runtime'> = {
  ...docker,
  manifest: { ...docker.manifest, name: 'acp@docker' },
  create: (options, context) => docker.create(options, { ...context, place: { name: 'docker', overProtocol: true } }),
}
