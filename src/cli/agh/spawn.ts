// `agh spawn`: for an agent inside a session, to start a child of that session.
import type { SessionView } from '../../contract/agh/api.ts'
import { PERMISSION_MODES } from '../../contract/agh/words.ts'
import { AoError } from '../../contract/errors.ts'
import { defineCommand } from '../command.ts'
import { openAgh } from './open-agh.ts'
import { OUTPUT_OPTIONS, outputFormat, printOne } from './output.ts'
import { readTime } from './read-time.ts'
import { sessionLines } from './session-lines.ts'

export const spawnCommand = defineCommand({
  program: 'agh',
  name: 'spawn',
  about: 'Inside a session: start a child session in the same workspace',
  args: {},
  options: {
    agent: { short: 'a', value: 'name', about: 'Agent; that of the parent otherwise' },
    ttl: { value: 'time', about: 'How long it may live, such as 30m (1h)' },
    role: { value: 'word', about: 'What it is for (worker)' },
    name: { short: 'n', value: 'text', about: 'A name for people' },
    permissions: { value: 'mode', about: 'Not more than the parent has', completes: PERMISSION_MODES },
    ...OUTPUT_OPTIONS,
  },
  async run({ options }, io) {
    const format = outputFormat(options)
    const token = io.env.AGH_SESSION_TOKEN
    if (!token) {
      throw new AoError('USAGE', 'agh spawn works inside a session only: AGH_SESSION_TOKEN is not set', {
        hint: 'Start a session with: agh session new',
      })
    }
    const { agent, role, name, permissions } = options
    const body = {
      ttl_seconds: Math.ceil(readTime('--ttl', options.ttl ?? '1h') / 1_000),
      ...(agent ? { agent_name: agent } : {}),
      ...(role ? { role } : {}),
      ...(name ? { name } : {}),
      ...(permissions ? { permissions } : {}),
    }
    const headers = { 'x-agh-session-token': token }
    const answer = await openAgh(io).call<{ session: SessionView }>('/api/agent/spawn', {
      method: 'POST',
      body,
      headers,
    })
    printOne(io, format, answer, () => sessionLines(io, answer.session))
  },
})
