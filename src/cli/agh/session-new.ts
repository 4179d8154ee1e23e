// `agh session new`: start a session of an agent in a workspace.
import { resolve } from 'node:path'
import type { SessionView } from '../../contract/agh/api.ts'
import { AoError } from '../../contract/errors.ts'
import { defineCommand } from '../command.ts'
import { openAgh } from './open-agh.ts'
import { OUTPUT_OPTIONS, outputFormat, printOne } from './output.ts'
import { sessionLines } from './session-lines.ts'

export const sessionNewCommand = defineCommand({
  program: 'agh',
  name: 'session new',
  about: 'Start a session of an agent in a workspace',
  args: {},
  options: {
    agent: { short: 'a', value: 'name', about: 'Agent; the configured default otherwise' },
    workspace: { short: 'w', value: 'name', about: 'A registered workspace' },
    cwd: { value: 'path', about: 'A directory as workspace; the current one by default' },
    name: { short: 'n', value: 'text', about: 'A name for people' },
    ...OUTPUT_OPTIONS,
  },
  async run({ options }, io) {
    const format = outputFormat(options)
    const { agent, workspace, cwd, name } = options
    if (workspace !== undefined && cwd !== undefined) {
      throw new AoError('USAGE', 'Give --workspace or --cwd, not both', { hint: 'See: agh session new --help' })
    }
    const body = {
      ...(agent === undefined ? {} : { agent_name: agent }),
      ...(name === undefined ? {} : { name }),
      ...(workspace === undefined ? { workspace_path: resolve(io.cwd, cwd ?? '.') } : { workspace }),
    }
    const answer = await openAgh(io).call<{ session: SessionView }>('/api/sessions', { method: 'POST', body })
    printOne(io, format, answer, () => sessionLines(io, answer.session))
  },
})
