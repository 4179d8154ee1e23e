// Messages to the agent. Logs and remarks are other people's words: they are fenced, with their author.
import type { HandIn } from '../../contract/forges.ts'
import { type CommitReview, type Pull, whereOf } from '../../contract/pull.ts'
import { readSuggestion } from '../forge/suggestion.ts'
import { fenceUntrusted, oneLine } from '../prompt/fence-untrusted.ts'
import type { FailedCheck, LandingFailure, RemarkView } from './pull-news.ts'

const LONGEST_LOG = 6_000

/** Which one the agent is to work on. */
type Subject = Pick<Pull, 'pr' | 'headSha'>

export function ciMessage({ pr, headSha }: Subject, checks: FailedCheck[], { update, request }: HandIn): string {
  const parts = checks.map(({ name, url, logTail }) => {
    const head = `### ${oneLine(name)}${url ? ` (${oneLine(url)})` : ''}`
    if (logTail.trim() === '') return `${head}\nNo log is available.`
    return `${head}\n${fenceUntrusted(endOf(logTail), `the log of check ${name}`)}`
  })
  return [
    `CI failed on your ${request} #${pr.number} at commit ${headSha.slice(0, 10)}.`,
    ...parts,
    `Find the cause, fix it, ${update}. CI runs again by itself.`,
  ].join('\n\n')
}

export function commentsMessage({ pr }: Subject, remarks: RemarkView[], { update, request }: HandIn): string {
  const threads = byThread(remarks)
  const areReplies = remarks.length > 0 && remarks.every(({ earlier = [] }) => earlier.length > 0)
  const parts = threads.map((thread, index) => threadPart(pr, thread, index + 1))
  const canAnswer = threads.some(([first]) => replyCommand(pr, first) !== null)
  return [
    areReplies
      ? `A reviewer replied in ${threads.length === 1 ? 'a thread' : 'threads'} of the review of your ${request} #${pr.number}.`
      : `A reviewer asks for changes on your ${request} #${pr.number}.`,
    ...(parts.length > 0 ? parts : ['They left no comment; look at it and improve what you can.']),
    ...(remarks.some(({ body }) => readSuggestion(body) !== null) ? [SUGGESTION_HINT] : []),
    `Address each of them, ${update}.`,
    ...(canAnswer
      ? [
          'Then answer in each thread in a sentence or two, with the command below it: what you did, or why you did not.',
        ]
      : []),
  ].join('\n\n')
}

const SUGGESTION_HINT = 'A block marked `suggestion` is what the lines of its remark should be replaced with.'

/** Each thread is one point, with what was said in it before. */
function threadPart(pr: Subject['pr'], remarks: RemarkView[], number: number): string {
  const [first] = remarks
  const { path, startLine, line, earlier = [] } = first!
  const lines = startLine === null || startLine === undefined ? `${line}` : `${startLine}-${line}`
  const where = path === null ? 'on the whole' : line === null ? path : `${path}:${lines}`
  const authors = [...new Set(remarks.map(({ author }) => author))].join(', ')
  const before = earlier.slice(-MOST_EARLIER).map(({ author, body }) => {
    const text = body.length <= LONGEST_EARLIER ? body : `${body.slice(0, LONGEST_EARLIER)} …`
    return author === null ? `You wrote:\n${quoteLines(text)}` : fenceUntrusted(text, `a review by ${author}`)
  })
  const reply = replyCommand(pr, first)
  return [
    `${number}. ${oneLine(authors)}, ${oneLine(where)}:`,
    ...(before.length > 0 ? ['Before, in this thread:', ...before, 'New:'] : []),
    ...remarks.map(({ author, body }) => fenceUntrusted(body, `a review by ${author}`)),
    ...(reply === null ? [] : [`To answer: ${reply}`]),
  ].join('\n')
}

const MOST_EARLIER = 6
const LONGEST_EARLIER = 1_000

function quoteLines(text: string): string {
  return text
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\n')
}

/** null: the forge takes no answers from here. A name with other characters would be words of a command line. */
function replyCommand({ number }: Subject['pr'], remark: RemarkView | undefined): string | null {
  const thread = remark?.thread ?? null
  if (thread === null || !/^[A-Za-z0-9][A-Za-z0-9_=-]{0,199}$/.test(thread)) return null
  return `ao pr reply ${number} ${thread} --body "…"`
}

function byThread(remarks: readonly RemarkView[]): RemarkView[][] {
  const threads = new Map<string, RemarkView[]>()
  for (const remark of remarks) {
    const key = remark.thread ? `thread ${remark.thread}` : remark.id
    threads.set(key, [...(threads.get(key) ?? []), remark])
  }
  return [...threads.values()]
}

/** Another agent's words, and it has read what strangers wrote: each is fenced. */
export function findingsMessage(
  { pr }: Subject,
  { reviewer, head, findings }: CommitReview,
  { update, request }: HandIn,
): string {
  const parts = findings.map(
    (one, index) =>
      `${index + 1}. ${one.severity}, ${oneLine(whereOf(one))}:\n${fenceUntrusted(one.text, `the reviewer ${reviewer}`)}`,
  )
  const count = findings.length === 1 ? 'one finding' : `${findings.length} findings`
  return [
    `Another agent reviewed your ${request} #${pr.number} at commit ${head.slice(0, 10)} and has ${count}.`,
    ...parts,
    `Judge each of them yourself: fix what is right, leave what is not and say why in your commit message. Then ${update}.`,
  ].join('\n\n')
}

export function conflictsMessage({ pr }: Subject, baseBranch: string, { update, request }: HandIn): string {
  return [
    `Your ${request} #${pr.number} conflicts with ${baseBranch}.`,
    `Bring ${baseBranch} into your branch, resolve the conflicts, run the tests, ${update}.`,
  ].join('\n')
}

export function landingMessage(
  { pr }: Subject,
  landing: LandingFailure,
  baseBranch: string,
  { update, request }: HandIn,
): string {
  if (landing.why === 'conflict') return conflictMessage({ pr }, landing, baseBranch, { update, request })
  if (landing.why === 'stranded') {
    const others = landing.pulls.map((one) => `#${one}`).join(', ')
    return `Your branch of ${request} #${pr.number} is built on ${landing.commit}, which has ${others} in it, and that will not land as it was. Take it out of your branch: git rebase --onto ${baseBranch} ${landing.commit} (fetch ${baseBranch} first if you have a remote). Resolve the conflicts, run the tests, ${update}. It boards again once it is approved and green.`
  }
  if (landing.why === 'refused') {
    return [
      `Your ${request} #${pr.number} was about to land on ${baseBranch}, but the forge did not merge it. It said:`,
      fenceUntrusted(endOf(landing.said), 'the forge'),
      `Repair what it names if that is in your hands: bring ${baseBranch} into your branch, run the tests, ${update}. It boards again with a new head, once that is approved and green.`,
    ].join('\n\n')
  }
  const { check, commit, ahead, byRules, logTail } = landing
  const together = ahead.length > 0 ? `, and together with ${ahead.map((one) => `#${one}`).join(', ')}` : ''
  return [
    `Your ${request} #${pr.number} was about to land, but merged with ${baseBranch} as it is now${together}, the check ${oneLine(check)} fails. It failed twice, and it passes without your change.`,
    `The exact commit that failed is ${commit}. Reproduce it with: git checkout --detach ${commit}, and go back to your branch afterwards.`,
    ...(byRules === undefined
      ? []
      : [`Conflicts were solved by rules, and that may be the cause: ${oneLine(byRules)}`]),
    ...(logTail.trim() === '' ? [] : [fenceUntrusted(endOf(logTail), `the log of check ${check}`)]),
    `Bring ${baseBranch} into your branch, repair what fails, ${update}. It boards again once it is approved and green.`,
  ].join('\n\n')
}

function conflictMessage(
  { pr }: Pick<Subject, 'pr'>,
  { files, onto, said, partners = [], hunks = [] }: Extract<LandingFailure, { why: 'conflict' }>,
  baseBranch: string,
  { update, request }: Pick<HandIn, 'update' | 'request'>,
): string {
  const listed = files.map((file) => `- ${oneLine(file)}`).join('\n')
  const again = `Resolve the conflicts, run the tests, ${update}. It boards again once it is approved and green.`
  const pulls = (onto?.pulls ?? []).map((one) => `#${one}`).join(', ')
  const named = partners.map((one) => `#${one}`).join(', ')
  const whose = named === '' || named === pulls ? '' : `. The lines in conflict are those of ${named}`
  const what =
    pulls === ''
      ? `${baseBranch} as it is now${whose}`
      : `${pulls}, which passed all checks and lands before it${whose}`
  const sides = hunks
    .filter(({ own, their }) => own !== '' || their !== '')
    .map(({ path, own, their }) =>
      [
        `### ${oneLine(path)}`,
        fenceUntrusted(own, 'your own branch'),
        fenceUntrusted(their, named === '' ? baseBranch : named),
      ].join('\n'),
    )
  const shown = sides.length === 0 ? '' : `\n\n${sides.join('\n\n')}`
  const how =
    pulls === ''
      ? `Rebase your branch onto ${baseBranch} as it is now${onto ? `, which is ${onto.commit}: git rebase ${onto.commit}` : ''}.`
      : `Rebase your branch onto the commit that ${baseBranch} is about to become, not onto ${baseBranch} as it is now: git rebase ${onto?.commit}. It holds ${baseBranch} and ${pulls}.`
  const fetch = onto ? ' If git does not know that commit, run git fetch origin first.' : ''
  const rules = said === undefined ? '' : `\n\nThe rules for conflicts did not solve it: ${oneLine(said)}`
  return `Your ${request} #${pr.number} was about to land, but it conflicts with ${what}:\n\n${listed}${rules}\n\n${how}${fetch} ${again}${shown}`
}

export interface BrokenBase {
  number: number
  commit: string
  check: string
  logTail: string
  baseBranch: string
}

export function brokenBaseMessage({ number, commit, check, logTail, baseBranch }: BrokenBase): string {
  return [
    `Since your pull request #${number} landed on ${baseBranch} as ${commit}, the check ${oneLine(check)} fails there. It failed twice, and it passes on the commit before.`,
    ...(logTail.trim() === '' ? [] : [fenceUntrusted(endOf(logTail), `the log of check ${check}`)]),
    `Reproduce it with: git checkout --detach ${commit}. Repair it on a new branch from ${baseBranch} and open another pull request for it.`,
  ].join('\n\n')
}

export function idleMessage({ complete }: HandIn): string {
  return `You have been silent for a while. If you are done, ${complete}; if something blocks you, say what it is; otherwise continue.`
}

/** The end of a log explains a failure; the whole log would bury it. */
function endOf(log: string): string {
  return log.length <= LONGEST_LOG
    ? log
    : `… (${log.length - LONGEST_LOG} characters before)\n${log.slice(-LONGEST_LOG)}`
}
