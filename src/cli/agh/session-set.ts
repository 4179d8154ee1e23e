// `agh session set`: choose a mode, a model or other options of the agent.
import type { SessionView } from '../../contract/agh/api.ts'
import { AoError } from '../../contract/errors.ts'
import { defineCommand } from '../command.ts'
import { openAgh, sessionPath } from './open-agh.ts'
import { OUTPUT_OPTIONS, outputFormat, printOne } from './output.ts'
import { sessionLines } from './session-lines.ts'

/** As `session new` takes them too. */
export const SETTING_OPTIONS = {
  mode: { value: 'name', about: 'A mode that the agent offers' },
  model: { value: 'name', about: 'A model that the agent offers' },
  set: { value: 'id=value', about: 'Another option of the agent', repeatable: true },
} as const

export const sessionSetCommand = defineCommand({
  program: 'agh',
  name: 'session set',
  about: 'Choose a mode, a model or other options of the agent',
  details: 'What it offers is in `offers` of: agh session inspect <session>. The choice holds after a resume too.',
  args: { session: { about: 'Session id', required: true } },
  options: { ...SETTING_OPTIONS, ...OUTPUT_OPTIONS },
  async run({ args, options }, io) {
    const format = outputFormat(options)
    const answer = await openAgh(io).call<{ session: SessionView }>(sessionPath(args.session), {
      method: 'PATCH',
      body: readSettings(options),
    })
    printOne(io, format, answer, () => sessionLines(io, answer.session))
  },
})

export function readSettings(options: { mode: string | undefined; model: string | undefined; set: string[] }): object {
  const { mode, model, set } = options
  return {
    ...(mode === undefined ? {} : { mode }),
    ...(model === undefined ? {} : { model }),
    ...(set.length === 0 ? {} : { options: Object.fromEntries(set.map(readPair)) }),
  }
}

function readPair(text: string): [string, string] {
  const at = text.indexOf('=')
  if (at > 0) return [text.slice(0, at), text.slice(at + 1)]
  throw new AoError('USAGE', `--set takes id=value, not ${text}`, { hint: 'Write it so: --set effort=high' })
}
