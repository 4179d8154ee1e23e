// `ao config validate`: is the file valid; if not, every problem with its line.

import { EVERYONE } from '../../../core/boundary/rights.ts'
import { plural } from '../../../core/text/format-age.ts'
import { defineCommand, JSON_OPTION } from '../../command.ts'

export const configValidateCommand = defineCommand({
  name: 'config validate',
  inside: EVERYONE,
  about: 'Check the configuration; every problem comes with its line',
  args: { file: { about: 'Configuration file (default: the one that would be used)', completes: 'file' } },
  options: { json: JSON_OPTION },
  json: '{ valid: true, configPath, projects: [id], untrusted: [what] }; the problems of a wrong file are in error.details.problems',
  async run({ args, options }, io) {
    const [{ loadParsed }, { untrustedItems }, { checkPlugins }] = await Promise.all([
      import('../../../config/load-config.ts'),
      import('../../../config/trust/trust.ts'),
      import('../../../plugins/check-plugins.ts'),
    ])
    const location = { path: args.file ?? io.configPath, cwd: io.cwd, env: io.env, home: io.home }
    const { config, parsed } = loadParsed(location)
    await checkPlugins(config, parsed)
    const { configPath } = config
    const projects = Object.keys(config.projects)
    const untrusted = untrustedItems(config, { home: io.home, env: io.env }).map(({ what }) => what)
    if (options.json) return void io.json({ valid: true, configPath, projects, untrusted })
    io.print(`${io.style.green('valid')} ${configPath}, ${plural(projects.length, 'project')}: ${projects.join(', ')}`)
    for (const what of untrusted) io.note(`${io.noteStyle.yellow('not trusted yet:')} ${what}`)
    if (untrusted.length > 0) io.note(`${io.noteStyle.cyan('hint:')} Read it, then trust it with: ao config trust`)
  },
})
