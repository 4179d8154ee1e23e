// `agh workspace remove`: forget a workspace; its directory stays.
import type { Workspace } from '../../agh/setup/workspaces.ts'
import { defineCommand } from '../command.ts'
import { openAgh } from './open-agh.ts'
import { OUTPUT_OPTIONS, outputFormat, printOne } from './output.ts'
import { workspaceLine } from './workspace-line.ts'

export const workspaceRemoveCommand = defineCommand({
  program: 'agh',
  name: 'workspace remove',
  about: 'Forget a workspace; its directory stays',
  args: { workspace: { about: 'Its name or id', required: true } },
  options: OUTPUT_OPTIONS,
  async run({ args, options }, io) {
    const format = outputFormat(options)
    const path = `/api/workspaces/${encodeURIComponent(args.workspace)}`
    const answer = await openAgh(io).call<{ workspace: Workspace }>(path, { method: 'DELETE' })
    printOne(io, format, answer, () => [workspaceLine(answer.workspace)])
  },
})
