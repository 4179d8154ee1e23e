// `agh workspace info`: show one registered workspace.
import type { Workspace } from '../../agh/setup/workspaces.ts'
import { defineCommand } from '../command.ts'
import { openAgh } from './open-agh.ts'
import { OUTPUT_OPTIONS, outputFormat, printOne } from './output.ts'
import { workspaceLine } from './workspace-line.ts'

export const workspaceInfoCommand = defineCommand({
  program: 'agh',
  name: 'workspace info',
  about: 'Show one registered workspace',
  args: { workspace: { about: 'Its name or id', required: true } },
  options: OUTPUT_OPTIONS,
  async run({ args, options }, io) {
    const format = outputFormat(options)
    const path = `/api/workspaces/${encodeURIComponent(args.workspace)}`
    const answer = await openAgh(io).call<{ workspace: Workspace }>(path)
    printOne(io, format, answer, () => [workspaceLine(answer.workspace)])
  },
})
