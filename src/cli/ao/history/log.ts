// `ao session log`: what was on a session's terminal, also after its end.

import { durationMs, isDuration } from '../../../contract/agh/duration.ts'
import { AoError } from '../../../contract/errors.ts'
import { OWN_SESSION } from '../../../core/boundary/rights.ts'
import { requireAnySession } from '../../../manager/observe/require-session.ts'
import { endOf, joinParts, type ReadRecording, readRecording, toCast } from '../../../store/recording/read-recording.ts'
import { recordingDirectory } from '../../../store/recording/recording-files.ts'
import { renderText } from '../../../store/recording/render-text.ts'
import { wholeNumber } from '../../arguments/whole-number.ts'
import { defineCommand, JSON_OPTION } from '../../command.ts'
import { openAo } from '../open-ao.ts'
import { play } from './play.ts'

const DEFAULT_LINES = 200
const DEFAULT_IDLE_LIMIT = '2s'
/** Whole parts of the recording; each of them begins with its screen. */
const BYTES_FOR_SOME_LINES = 2 * 1024 * 1024

export const sessionLogCommand = defineCommand({
  name: 'session log',
  inside: OWN_SESSION,
  about: 'Print or play the terminal recording of a session',
  details:
    'Also after its end, and in the archive. Sessions with runtime acp have no terminal; see: ao session transcript.',
  args: { session: { about: 'Session id', required: true, completes: 'session' } },
  options: {
    lines: { short: 'n', value: 'count', about: `Number of lines from the end (default ${DEFAULT_LINES})` },
    all: { about: 'Everything that was recorded' },
    play: { about: 'Play it in this terminal; q ends, space pauses' },
    speed: { value: 'factor', about: 'With --play: speed factor (default 1)' },
    'idle-limit': {
      value: 'duration',
      about: `With --play: longest pause between outputs (default ${DEFAULT_IDLE_LIMIT})`,
    },
    cast: { about: 'Write the recording as asciicast v2 to stdout' },
    json: JSON_OPTION,
  },
  examples: [
    { line: 'ao session log app-1 --play --speed 4', about: 'Watch it again' },
    { line: 'ao session log app-1 --cast > app-1.cast', about: 'For asciinema and its players' },
  ],
  json: '{ sessionId, from, to, ended, isCut, lines: [text] }',
  async run({ args, options }, io) {
    const { play: plays, cast, all } = options
    if ([plays, cast, options.json].filter(Boolean).length > 1) {
      throw new AoError('USAGE', '--play, --cast and --json exclude each other')
    }
    const wanted =
      all || plays || cast
        ? Number.POSITIVE_INFINITY
        : (wholeNumber('--lines', options.lines, { least: 1, most: 999_999 }) ?? DEFAULT_LINES)
    const pace = { speed: parseSpeed(options.speed), idleLimitMs: parseIdleLimit(options['idle-limit']) }
    const ao = await openAo(io)
    const { session, store } = await requireAnySession(ao.context, args.session)
    const directory = recordingDirectory(store.paths.stateDir(session.id))
    const recording = readRecording(directory, Number.isFinite(wanted) ? BYTES_FOR_SOME_LINES : undefined)
    if (recording.parts.length === 0) throw notRecorded(session.id)
    if (plays) return play(recording, pace, io)
    if (cast) return void io.writeRaw(toCast(recording))
    const lines = await renderText(recording, wanted)
    if (options.json) return void io.json({ sessionId: session.id, ...summary(recording), lines })
    io.printLines(lines)
    if (recording.isCut && all) io.note('The beginning is missing: recordings are limited in size.')
  },
})

function summary(recording: ReadRecording) {
  const events = joinParts(recording)
  const time = (at: number | undefined) => (at === undefined ? null : new Date(at).toISOString())
  return {
    from: time(recording.parts[0]?.header.startedAt),
    to: time(events.at(-1)?.at ?? recording.parts.at(-1)?.header.startedAt),
    ended: endOf(recording),
    isCut: recording.isCut,
  }
}

function notRecorded(sessionId: string): AoError {
  return new AoError('NOT_RECORDED', `Nothing was recorded of the terminal of ${sessionId}`, {
    hint: `Read the conversation with: ao session transcript ${sessionId}`,
    details: { sessionId },
  })
}

function parseSpeed(text: string | undefined): number {
  const speed = Number(text ?? 1)
  if (speed >= 0.1 && speed <= 1000) return speed
  throw new AoError('USAGE', `--speed takes a number between 0.1 and 1000, not ${text}`)
}

function parseIdleLimit(text = DEFAULT_IDLE_LIMIT): number {
  if (isDuration(text)) return durationMs(text)
  throw new AoError('USAGE', `--idle-limit takes a duration such as 2s or 500ms, not ${text}`)
}
