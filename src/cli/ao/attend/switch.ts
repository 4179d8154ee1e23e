// `ao session switch`: the same session with another account or agent.
import { AoError } from '../../../contract/errors.ts'
import { requireSession } from '../../../manager/observe/require-session.ts'
import { defineCommand, JSON_OPTION } from '../../command.ts'
import { withProgress } from '../../print/progress.ts'
import { toSessionJson } from '../../print/session-json.ts'
import { openAo } from '../open-ao.ts'

export const sessionSwitchCommand = defineCommand({
  name: 'session switch',
  about: 'Continue a session with another account or agent',
  details:
    'Another agent takes over in the same worktree, in a new conversation that begins with the task and what was done so far. If the other account cannot be used, the session is as it was.',
  args: { session: { about: 'Session id', required: true, completes: 'session' } },
  options: {
    account: { value: 'name', about: 'One of `accounts` of the configuration' },
    first: { about: 'Switch back to the original account and agent' },
    json: JSON_OPTION,
  },
  json: '{ session: Session }',
  async run({ args, options }, io) {
    const ao = await openAo(io)
    if ((options.account === undefined) !== options.first) {
      const names = Object.keys(ao.config.accounts ?? {}).join(', ') || 'none'
      throw new AoError('USAGE', 'With which account?', {
        hint: `Name one with --account <name>, or say --first. The configuration has: ${names}`,
      })
    }
    const { id } = await requireSession(ao.context, args.session)
    const account = options.account ?? null
    const why = 'a person chose another account'
    const interrupted = `The switch was interrupted (ao start or ao session restore ${id} completes it)`
    const session = await withProgress(io, interrupted, (onProgress) =>
      ao.manager.switchAccount(id, { account, why, onProgress }),
    )
    if (options.json) return void io.json({ session: toSessionJson(session) })
    io.print(`${io.style.green('switched')} ${id} to ${account ?? 'the account it began with'}`)
  },
})
