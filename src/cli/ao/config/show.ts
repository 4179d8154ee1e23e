// `ao config show`: the effective configuration, with everything filled in and no secret in it.
import type { ConfigValue, Origin } from '../../../config/config-origins.ts'
import { openConfig } from '../../../config/load-config-cached.ts'
import { EVERYONE } from '../../../core/boundary/rights.ts'
import { defineCommand, JSON_OPTION } from '../../command.ts'
import type { Io } from '../../print/io.ts'
import { toOneLine, toSafeLines } from '../../print/plain-text.ts'

export const configShowCommand = defineCommand({
  name: 'config show',
  inside: EVERYONE,
  about: 'Show the configuration that is in effect, with defaults filled in and secrets hidden',
  options: { origin: { about: 'One line per value, with its origin' }, json: JSON_OPTION },
  json: 'the configuration as one object, with configPath; with --origin { configPath, userConfigPath, values: [{ key, value, origins: [{ layer, file?, line?, variable? }] }], overruled: [key] }',
  async run({ options }, io) {
    const { showConfig } = await import('../../../config/show-config.ts')
    if (options.origin) return showOrigins(options.json, io)
    const shown = showConfig(await openConfig(io))
    if (options.json) return void io.json(shown)
    const { configPath, ...content } = shown
    const { toYaml } = await import('../../print/to-yaml.ts')
    io.print(io.style.dim(`# ${configPath}`))
    io.write(toSafeLines(toYaml(content)))
  },
})

async function showOrigins(json: boolean, io: Io): Promise<undefined> {
  const [{ loadParsed }, { configOrigins, overruledKeys }, { showConfig }] = await Promise.all([
    import('../../../config/load-config.ts'),
    import('../../../config/config-origins.ts'),
    import('../../../config/show-config.ts'),
  ])
  const { config, parsed } = loadParsed({ path: io.configPath, cwd: io.cwd, env: io.env, home: io.home })
  const { configPath, ...content } = showConfig(config)
  const values = configOrigins(content, parsed.layers, io.env)
  const overruled = overruledKeys(parsed.layers)
  if (json) {
    io.json({ configPath, userConfigPath: parsed.layers.user?.path ?? null, values, overruled })
    return
  }
  for (const one of values) printValue(one, io)
  for (const key of overruled)
    io.note(`${io.noteStyle.yellow('not in effect:')} ${key} of ${configPath}; your own file decides`)
}

function printValue({ key, value, origins }: ConfigValue, io: Io): void {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  io.print(`${toOneLine(`${key}: ${text}`)}  ${io.style.dim(toOneLine(origins.map(describeOrigin).join(' and ')))}`)
}

function describeOrigin(origin: Origin): string {
  switch (origin.layer) {
    case 'default':
      return 'default'
    case 'environment':
      return `variable ${origin.variable}`
    default:
      return origin.line === null ? origin.file : `${origin.file}:${origin.line}`
  }
}
