// Who hears of a collision: the one that is less far, because the other will land first. Pure.

import type { Meeting, MeetingFile, RadarBranch, RadarPicture, RedPair } from '../../contract/dashboard/radar.ts'
import type { HandIn } from '../../contract/forges.ts'
import type { SessionStatus } from '../../contract/status.ts'
import { fenceUntrusted, oneLine } from '../prompt/fence-untrusted.ts'

/** What is known about how far a session is. */
export interface Progress {
  status: SessionStatus
  createdAt: number
}

export interface Collision {
  /** The branch that is further. */
  other: RadarBranch
  /** What the other one does, in words. */
  stage: string
  /** Conflicting files only, seen from the one that is less far. */
  files: Array<Pick<MeetingFile, 'path'> & { own: MeetingFile['a']; their: MeetingFile['a']; hunks: Hunk[] }>
  /** git merges the two, and this fails with both. */
  red?: Pick<RedPair, 'check' | 'test' | 'log' | 'commit'> | undefined
}

interface Hunk {
  own: string
  their: string
}

/** Collisions that the session is to hear of. `progress`: of the sessions that are alive. */
export function collisionsOf(
  { meetings, branches, red = [] }: Pick<RadarPicture, 'meetings' | 'branches'> & Partial<Pick<RadarPicture, 'red'>>,
  sessionId: string,
  progress: ReadonlyMap<string, Progress>,
): Collision[] {
  const byId = new Map(branches.map((branch) => [branch.id, branch]))
  const own = byId.get(sessionId)
  if (!own) return []
  const further = ({ a, b }: { a: string; b: string }): RadarBranch | null => {
    const other = byId.get(a === sessionId ? b : b === sessionId ? a : '')
    return other && isFurther(other, own, progress) ? other : null
  }
  const conflicts = meetings.flatMap((meeting): Collision[] => {
    const other = meeting.kind === 'conflict' ? further(meeting) : null
    return other === null ? [] : [{ other, stage: stageOf(other, progress), files: filesFor(meeting, sessionId) }]
  })
  const failing = red.flatMap((pair): Collision[] => {
    const other = further(pair)
    return other === null ? [] : [{ other, stage: stageOf(other, progress), files: [], red: pair }]
  })
  return [...conflicts, ...failing]
}

const FURTHEST: readonly SessionStatus[] = ['mergeable', 'approved']
const OPEN: readonly SessionStatus[] = ['review_pending', 'pr_open', 'changes_requested', 'ci_failed']

function rankOf(branch: RadarBranch, progress: ReadonlyMap<string, Progress>): number {
  const merged = progress.get(branch.id)
  // A pull request that nobody works on is as far as it will get.
  if (branch.sessionId === null || merged === undefined) return 9
  const at = FURTHEST.indexOf(merged.status)
  if (at !== -1) return 8 - at
  if (OPEN.includes(merged.status) || branch.pull !== null) return 5
  return branch.commits > 0 ? 3 : 1
}

/** With equal progress the older session is further; never both. */
function isFurther(other: RadarBranch, own: RadarBranch, progress: ReadonlyMap<string, Progress>): boolean {
  const difference = rankOf(other, progress) - rankOf(own, progress)
  if (difference !== 0) return difference > 0
  const age = (progress.get(own.id)?.createdAt ?? 0) - (progress.get(other.id)?.createdAt ?? 0)
  return age !== 0 ? age > 0 : other.id < own.id
}

function stageOf(branch: RadarBranch, progress: ReadonlyMap<string, Progress>): string {
  const rank = rankOf(branch, progress)
  const request = branch.pull === null ? 'its work' : `its pull request #${branch.pull}`
  if (rank >= 7 && rank < 9) return `${request} is approved`
  if (branch.pull !== null) return `${request} is open`
  return branch.commits > 0 ? 'it has committed its work' : 'it began earlier'
}

function filesFor({ files, a }: Meeting, sessionId: string): Collision['files'] {
  const isA = a === sessionId
  return files
    .filter(({ conflict }) => conflict)
    .map((file) => ({
      path: file.path,
      own: isA ? file.a : file.b,
      their: isA ? file.b : file.a,
      hunks: file.hunks.map((hunk) => (isA ? { own: hunk.a, their: hunk.b } : { own: hunk.b, their: hunk.a })),
    }))
}

/** One word for each file of each collision, and for each test: what was reported once is not reported again. */
export function describeCollisions(collisions: readonly Collision[]): string[] {
  return collisions.flatMap(({ other, files, red }) => [
    ...files.map(({ path }) => `${encodeURIComponent(other.id)}:${encodeURIComponent(path)}`),
    ...(red ? [`${encodeURIComponent(other.id)}!${encodeURIComponent(`${red.check} ${red.test ?? ''}`)}`] : []),
  ])
}

export function collisionSummary(collisions: readonly Collision[]): string {
  const [first] = collisions
  const more = collisions.length > 1 ? ` and with ${collisions.length - 1} more` : ''
  if (first?.red) return `${oneLine(first.red.test ?? first.red.check)} fails together with ${first.other.id}${more}`
  return `it conflicts with ${first?.other.id} in ${first?.files[0]?.path ?? 'a file'}${more}`
}

const MOST_FILES = 5
const MOST_HUNKS = 2
const LONGEST_HUNK = 1_500
const MOST_NAMES = 10
/** Of one warning, however many branches meet it. */
const LONGEST_MESSAGE = 12_000
/** What is kept of that for branches of which only the files are named. */
const ROOM_FOR_BRIEF = 3_000
const LONGEST_NOTE = 200

/** The early warning: both sides, what the other one is doing, and what to avoid or wait for. */
export function collisionMessage(collisions: readonly Collision[], { request }: HandIn): string {
  const end = advice(collisions, request)
  let room = LONGEST_MESSAGE - end.length
  const parts: string[] = []
  const brief: Collision[] = []
  for (const one of collisions) {
    const whole = ofCollision(one).join('\n\n')
    if (whole.length > room - ROOM_FOR_BRIEF) brief.push(one)
    else {
      parts.push(whole)
      room -= whole.length + 2
    }
  }
  const left: string[] = []
  for (const one of brief) {
    const text = briefly(one)
    if (text.length > room - LONGEST_NOTE) left.push(one.other.id)
    else {
      parts.push(text)
      room -= text.length + 2
    }
  }
  if (brief.length > 0) parts.push(leftOut(brief.length - left.length, left.length))
  return [...parts, end].join('\n\n')
}

function leftOut(brief: number, unnamed: number): string {
  const lines = brief > 0 ? [`The lines of both sides are left out for the last ${brief}.`] : []
  const more = unnamed > 0 ? [`${unnamed} more branches meet yours and are left out here.`] : []
  return [...lines, ...more].join(' ')
}

/** Without the lines of both sides, for the last of many. */
function briefly({ other, files, red }: Collision): string {
  if (red) return `Together with ${other.id} (branch ${oneLine(other.branch)}), ${failureOf(red)}.`
  const shown = files.slice(0, MOST_FILES).map(({ path }) => oneLine(path))
  const more = files.length > shown.length ? ` and ${files.length - shown.length} more` : ''
  return `${other.id} works on branch ${oneLine(other.branch)}, which git cannot merge with yours either: ${shown.join(', ')}${more}.`
}

function failureOf({ check }: NonNullable<Collision['red']>): string {
  return `the check "${oneLine(check)}" fails`
}

function ofCollision({ other, stage, files, red }: Collision): string[] {
  const about = other.title === other.id ? '' : ` ("${oneLine(other.title)}")`
  if (red)
    return [
      `${other.id}${about} works on branch ${oneLine(other.branch)}. git merges its work with yours, and each passes by itself, but together ${failureOf(red)}. This is an early warning: nothing is merged yet, and ${stage}, so it will probably land before yours. The commit ${red.commit} has both.`,
      // The name of the test is words of an agent too.
      fenceUntrusted([oneLine(red.test ?? ''), cutEnd(red.log)].filter(Boolean).join('\n'), `the log of ${red.check}`),
    ]
  const shown = files.slice(0, MOST_FILES)
  const more = files.length > shown.length ? [`… and ${files.length - shown.length} more files.`] : []
  return [
    `${other.id}${about} works on branch ${oneLine(other.branch)}, and git cannot merge its work with yours. This is an early warning: nothing is merged yet, and ${stage}, so it will probably land before yours.`,
    ...shown.flatMap((file) => ofFile(file, other.id)),
    ...more,
  ]
}

function ofFile({ path, own, their, hunks }: Collision['files'][number], other: string): string[] {
  const head = `### ${oneLine(path)}${whereOf(own, their, other)}`
  const sides = hunks
    .slice(0, MOST_HUNKS)
    .flatMap((hunk) => [
      `You wrote:\n${fenceUntrusted(cut(hunk.own), `your own branch, ${path}`)}`,
      `${other} wrote:\n${fenceUntrusted(cut(hunk.their), `${other}, ${path}`)}`,
    ])
  return [head, ...sides]
}

function whereOf(own: MeetingFile['a'], their: MeetingFile['a'], other: string): string {
  if (own.change === 'deleted') return ` (you delete it, ${other} changes it)`
  if (their.change === 'deleted') return ` (${other} deletes it)`
  const lines = ({ lines }: MeetingFile['a']) =>
    lines
      .slice(0, 5)
      .map(([first, last]) => (first === last ? first : `${first}–${last}`))
      .join(', ')
  if (own.lines.length === 0 || their.lines.length === 0) return ''
  return ` (lines of the original: yours ${lines(own)}; of ${other} ${lines(their)})`
}

const LONGEST_LOG = 4_000

function cutEnd(text: string): string {
  return text.length <= LONGEST_LOG ? text : `…\n${text.slice(-LONGEST_LOG)}`
}

function cut(text: string): string {
  return text.length <= LONGEST_HUNK ? text : `${text.slice(0, LONGEST_HUNK)}\n…`
}

function advice(collisions: readonly Collision[], request: string): string {
  const idsOf = (list: readonly Collision[]) => {
    const ids = [...new Set(list.map(({ other }) => other.id))]
    const more = ids.length > MOST_NAMES ? ` and ${ids.length - MOST_NAMES} more` : ''
    return `${ids.slice(0, MOST_NAMES).join(', ')}${more}`
  }
  const failing = collisions.filter(({ red }) => red !== undefined)
  if (failing.length === collisions.length)
    return `Continue with your task. One of you probably renamed or changed what the other uses: write your change so that it also works with what ${idsOf(failing)} wrote, where you can do that on your branch alone. Do not copy the other work into your branch. Mention it in your ${request}.`
  const who = idsOf(collisions)
  return `Continue with your task, and keep out of these lines where you can. Where you cannot, write your change so that it fits on top of what ${who} wrote, and leave the final version of these lines until that has landed. Do not copy the other work into your branch. Mention the overlap in your ${request}.`
}
