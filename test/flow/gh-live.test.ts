// The calls of gh that live sessions of Claude Code and Codex made (test/real/gh-calls.real.ts), played again: each answers as
// it did then, which was read beside what GitHub's gh answers, or is refused with a reason.
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { THOROUGH } from '../support/cover.ts'
import { createGhSession, type GhSession, numberedAsBefore } from '../support/gh-session.ts'
import { git } from '../support/git-repo.ts'
import { buildAo } from '../support/run-ao.ts'

interface LiveCall {
  line: string | null
  args: string[]
  input?: string
  exitCode: number
  stdout: string
  stderr: string
}

const recorded = JSON.parse(readFileSync(new URL('../fixtures/gh-calls-live.json', import.meta.url), 'utf8')) as Record<
  'claude-code' | 'codex',
  LiveCall[]
>

let session: GhSession
beforeAll(async () => {
  buildAo()
  session = await createGhSession()
  const { exitCode, stderr } = session.ao.run(['issue', 'new', 'Answer the question', '--body', 'What is the answer?'])
  if (exitCode !== 0) throw new Error(stderr)
})
afterAll(async () => {
  expect(await session.ao.cleanup()).toEqual([])
})

/** What else the line did, or what happened before it. */
const BEFORE: Readonly<Record<string, () => void>> = {
  'gh-05': () => session.commit('answer.txt', 'bad\nworse\n', 'Answer the question\n\nCloses #1'),
  'gh-14': () => {
    const argv = ['pr', 'review', '1', '--request-changes', '-b', 'Almost', '--line', 'answer.txt:1:Sure?']
    expect(session.ao.run(argv, { USER: 'sam' }).exitCode).toBe(0)
  },
  'gh-21': () => session.commit('answer.txt', 'good\n', 'Better'),
}

/** Answers of then and now that later calls were given: ids. */
const ids = new Map<string, string>()

function argsNow(args: readonly string[]): string[] {
  const head = git(session.worktree, session.ao.env, 'rev-parse', 'HEAD').trim()
  return args.map((word) =>
    [...ids].reduce((text, [then, now]) => text.replace(then, now), word).replace(/\b[0-9a-f]{40}\b/, head),
  )
}

/** Without what differs from run to run. */
function steady(text: string): string {
  return text
    .replaceAll(/\b[0-9a-f]{40}\b/g, '<sha>')
    .replaceAll(/\b[0-9a-f]{7}\b/g, '<short sha>')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
    .replaceAll(/\t(?:0|(?:\d+m)?\d+s)\t/g, '\t<duration>\t')
    .replaceAll(/about .* ago|less than a minute ago/g, '<ago>')
}

describe('calls of live sessions', () => {
  it('Claude Code and Codex reach gh with the same words, and get the same answers', () => {
    const all = (calls: LiveCall[]) =>
      calls.flatMap(({ line, args, input, exitCode, stdout, stderr }) => {
        const isId = /^\S{6,}\n$/.test(stdout)
        const text = steady([...args, input, isId ? '<id>' : stdout, stderr].join('\n'))
        return line === null ? [] : [`${line} ${exitCode}: ${text.replaceAll(/comment-\w+|comments\/\d+/g, '<id>')}`]
      })
    expect(all(recorded['claude-code'])).toEqual(all(recorded.codex))
  })

  const played = new Set<string>()
  it.each(recorded.codex.map((call) => [`${call.line}: gh ${call.args.join(' ').slice(0, 100)}`, call] as const))(
    '%s',
    async (_name, call) => {
      if (call.line !== null && !played.has(call.line)) BEFORE[call.line]?.()
      if (call.line !== null) played.add(call.line)
      const isOpening = call.args[0] === 'pr' && call.args[1] === 'create'
      const input = call.input === undefined ? {} : { input: call.input }
      // What opens, and what reads its input, goes all the way through the wrapper; what it starts answers the others.
      const play = async () =>
        isOpening || THOROUGH || call.input !== undefined
          ? session.gh(argsNow(call.args), input)
          : await session.answer(argsNow(call.args))
      const now = isOpening ? await numberedAsBefore(session, play) : await play()
      expect(now.exitCode, now.stderr).toBe(call.exitCode)
      if (/^\S{6,}\n$/.test(call.stdout)) ids.set(call.stdout.trim(), now.stdout.trim())
      else expect(steady(now.stdout)).toBe(steady(call.stdout))
      expect(steady(now.stderr)).toBe(steady(call.stderr))
      if (call.exitCode !== 0 && call.stdout === '') expect(now.stderr.trim()).not.toBe('')
    },
  )
})
