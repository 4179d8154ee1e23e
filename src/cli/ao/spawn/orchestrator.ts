import { readText } from '../../arguments/read-text.ts'
import { defineCommand, JSON_OPTION } from '../../command.ts'
import { withProgress } from '../../print/progress.ts'
import { toSessionJson } from '../../print/session-json.ts'
import { chooseProject } from '../choose-project.ts'
import { openAo } from '../open-ao.ts'
import { attachHere } from '../session/attach-here.ts'

export const orchestratorCommand = defineCommand({
  name: 'orchestrator',
  about: "Start a project's orchestrator, or go back to it",
  details: 'An agent in the main checkout that starts, watches and guides the others with ao.',
  args: { project: { about: 'Project id; found as for ao spawn', completes: 'project' } },
  options: {
    detach: { short: 'd', about: 'Do not attach' },
    'prompt-file': { value: 'file', about: 'Use these instructions instead of the built-in ones', completes: 'file' },
    json: JSON_OPTION,
  },
  json: '{ session: Session }',
  async run({ args, options }, io) {
    const ao = await openAo(io)
    const project = chooseProject(ao.config, args.project, io)
    const file = options['prompt-file']
    const systemPrompt = file === undefined ? undefined : await readText(file, io)
    const session = await withProgress(io, 'The start was interrupted', (onProgress) =>
      ao.manager.spawnOrchestrator({ projectId: project.id, systemPrompt }, { onProgress }),
    )
    if (options.json) return void io.json({ session: toSessionJson(session) })
    if (!options.detach && io.isTerminal && io.stdin.isTTY) return attachHere(ao, session, io)
    io.print(`${io.style.bold(session.id)} runs in ${session.workspacePath}`)
    io.print(`  talk to it: ao session attach ${session.id}`)
    io.print(`SESSION=${session.id}`)
  },
})
