// `ao init`: a first configuration, from inspecting the repository and the installed programs.
import { createLog } from '../../../lib/log.ts'
import { createPluginRegistry } from '../../../plugins/registry.ts'
import { defineCommand, JSON_OPTION } from '../../command.ts'
import { renderTable } from '../../print/table.ts'
import { configEditFiles } from './edit-files.ts'

export const initCommand = defineCommand({
  name: 'init',
  about: 'Write agent-orchestrator.yaml for this repository',
  options: {
    agent: { value: 'name', about: 'Agent to use (default: the first one found)', completes: 'agent' },
    forge: {
      value: 'name',
      about: 'github, gitlab, forgejo or local (default: from the remote)',
    },
    force: { about: 'Replace an existing configuration; ao config undo brings it back' },
    json: JSON_OPTION,
  },
  json: '{ path, projectId, replaced, choices: [{ what, value, why }], notes: [text] }',
  async run({ options }, io) {
    const { initConfig } = await import('../../../config/init/init-config.ts')
    const { cwd, env, home } = io
    const registry = createPluginRegistry({ env, home, log: createLog(env.AO_LOG_LEVEL) })
    const agents = options.agent === undefined ? await registry.detect('agent') : []
    const { agent, forge, force } = options
    const editFiles = configEditFiles(io)
    const result = await initConfig({ cwd, env, home, now: io.clock.now(), agents, agent, forge, force, editFiles })
    if (options.json) return void io.json(result)
    io.print(`${result.replaced ? 'replaced' : 'wrote'} ${io.style.bold(result.path)}`)
    const lines = renderTable<(typeof result.choices)[number]>(
      [
        { title: '', text: ({ what }) => what, paint: (text) => io.style.dim(text) },
        { title: '', text: ({ value }) => value, min: 10 },
        { title: '', text: ({ why }) => why, paint: (text) => io.style.dim(text), min: 10, drop: 1 },
      ],
      result.choices,
      { width: io.width(), indent: 2, bare: true },
    )
    io.printLines(lines)
    for (const note of result.notes) io.print(`${io.style.yellow('note:')} ${note}`)
    io.print('Next: ao spawn <issue>, or ao spawn --prompt "..."')
  },
})
