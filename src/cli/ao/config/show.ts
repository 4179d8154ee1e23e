// `ao config show`: the effective configuration, with everything filled in and no secret in it.
import { defineCommand, JSON_OPTION } from '../../command.ts'
import { toSafeLines } from '../../print/plain-text.ts'
import { openConfig } from '../open-ao.ts'

export const configShowCommand = defineCommand({
  name: 'config show',
  about: 'Show the configuration that is in effect, with defaults filled in and secrets hidden',
  args: {},
  options: { json: JSON_OPTION },
  json: 'the configuration as one object, with configPath',
  async run({ options }, io) {
    const config = await openConfig(io)
    const { showConfig } = await import('../../../config/show-config.ts')
    const shown = showConfig(config)
    if (options.json) return void io.json(shown)
    const { configPath, ...content } = shown
    const { toYaml } = await import('../../print/to-yaml.ts')
    io.print(io.style.dim(`# ${configPath}`))
    io.write(toSafeLines(toYaml(content)))
  },
})
