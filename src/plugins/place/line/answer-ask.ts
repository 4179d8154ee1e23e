// Home answers a command of an agent in a place. These are all there are (`ANSWERS`), each with rights of its own; what was asked and
// what was decided goes into the session's history before anything is done.
import type { ClientHttp2Stream } from 'node:http2'
import { join } from 'node:path'
import { errorText } from '../../../contract/errors.ts'
import type { AskTool } from '../../../core/place/check-far-values.ts'
import { decideAo } from '../../../core/place/forwarded-ao.ts'
import type { HomeOfWork } from '../home/line-files.ts'
import { statusOf } from '../reach/far.ts'
import { answerGh } from './answer-gh.ts'
import { answerFetch, answerPush } from './answer-git.ts'
import type { Answering } from './answering.ts'
import { finish, readInput } from './ask-frames.ts'
import { passOutput } from './run-at-home.ts'

/** Each is a program at home. */
const MOST_OPEN = 16

type Answer = (answering: Answering, home: HomeOfWork, stream: ClientHttp2Stream) => Promise<void>

const ANSWERS: Readonly<Record<AskTool, Answer>> = {
  gh: (answering, home, stream) => answerGh(answering, home, stream, answering.ask.argv),
  ao: answerAo,
  push: answerPush,
  fetch: answerFetch,
}

/** Never rejects: a failure is the command's. */
export async function answerAsk(answering: Answering): Promise<void> {
  const { far, spec, ask, open } = answering
  const stream = far.stream('POST /ask', { query: { id: ask.id } })
  try {
    // Its command may have ended meanwhile, or was cut off with an earlier line: then nothing is done for it.
    if ((await statusOf(stream)) !== 200) return
    if (open.count >= MOST_OPEN)
      return finish(stream, 1, `${MOST_OPEN} commands of this session are being answered already`)
    if (spec.home === null) return finish(stream, 1, 'there is no project behind this session')
    open.count += 1
    await ANSWERS[ask.tool](answering, spec.home, stream).finally(() => {
      open.count -= 1
    })
  } catch (error) {
    finish(stream, 1, errorText(error))
  }
}

async function answerAo(answering: Answering, home: HomeOfWork, stream: ClientHttp2Stream): Promise<void> {
  const { ask, spec, save, record } = answering
  const request = decideAo(ask.argv, spec.sessionId)
  if (request.kind === 'gh') return answerGh(answering, home, stream, request.argv)
  if (request.kind === 'refused') {
    await record(`ao ${ask.argv.join(' ')}`, request.why)
    return finish(stream, 1, request.why)
  }
  await record(`ao ${request.argv.join(' ')}`, null)
  await save()
  const env = { ...answering.env, ...home.environment, PATH: `${home.bin}:${answering.env.PATH ?? ''}` }
  const input = request.input === 'all' ? await readInput(stream) : request.input === 'stream' ? 'stream' : null
  const program = { program: join(home.bin, 'ao'), argv: request.argv, cwd: home.mirror, env }
  finish(stream, await passOutput(stream, { ...program, input }))
}
