// `ao session import`: a session of another machine, as an archived one of this.
import { resolve } from 'node:path'
import { defineCommand, JSON_OPTION, PROJECT_OPTION } from '../../command.ts'
import { chooseProject } from '../choose-project.ts'
import { openAo } from '../open-ao.ts'

export const sessionImportCommand = defineCommand({
  name: 'session import',
  about: 'Take an exported session into the archive of this machine',
  details:
    'Everything in the file is checked before anything is written. The repository has to be a clone of the same one. The session keeps its id and branch where both are free. It starts with: ao session restore.',
  args: { file: { about: 'What ao session export wrote', required: true, completes: 'file' } },
  options: { project: { ...PROJECT_OPTION, about: 'The project that it belongs to' }, json: JSON_OPTION },
  json: '{ sessionId, projectId, from, branch }',
  async run({ args, options }, io) {
    const { manager, config } = await openAo(io)
    const project = chooseProject(config, options.project, io)
    const imported = await manager.importSession(resolve(io.cwd, args.file), { projectId: project.id })
    if (options.json) return void io.json(imported)
    const { sessionId, from, branch } = imported
    const name = from === sessionId ? sessionId : `${from} as ${sessionId}`
    io.print(`imported ${name}${branch === null ? '' : ` on branch ${branch}`}`)
    io.note(`  continue it: ao session restore ${sessionId}`)
    io.print(`SESSION=${sessionId}`)
  },
})
