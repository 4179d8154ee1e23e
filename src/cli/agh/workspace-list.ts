// `agh workspace list`: list the registered workspaces.
import type { Workspace } from '../../agh/setup/workspaces.ts'
import { defineCommand } from '../command.ts'
import { openAgh } from './open-agh.ts'
import { OUTPUT_OPTIONS, outputFormat, printOne } from './output.ts'
import { workspaceLine } from './workspace-line.ts'

export const workspaceListCommand = defineCommand({
  program: 'agh',
  name: 'workspace list',
  about: 'List the registered workspaces',
  args: {},
  options: OUTPUT_OPTIONS,
  async run({ options }, io) {
    const format = outputFormat(options)
    const answer = await openAgh(io).call<{ workspaces: Workspace[] }>('/api/workspaces')
    if (format === 'jsonl') return void io.printLines(answer.workspaces.map((one) => JSON.stringify(one)))
    printOne(io, format, answer, () => answer.workspaces.map(workspaceLine))
  },
})
