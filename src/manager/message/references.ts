// What a person names with an @ in a message or a task goes along with it: an issue and a session as fenced text, a file that the
// agent does not have as a copy. Deny by default: what is outside of the repository, or holds secrets, stays a word, and the sender is told.
import { statSync } from 'node:fs'
import { ATTACHMENT_LIMITS, type GivenFile } from '../../contract/agh/attachment.ts'
import type { ProjectConfig } from '../../contract/config.ts'
import { errorText } from '../../contract/errors.ts'
import { findReferences, type Reference } from '../../core/message/find-references.ts'
import { isSecretPath } from '../../core/message/secret-path.ts'
import { fenceUntrusted } from '../../core/prompt/fence-untrusted.ts'
import { gitOn, openRepository } from '../../git/repository.ts'
import { isInside, pathInside, realPathOf } from '../../lib/inside-directory.ts'
import { readBytes } from '../../lib/plain-file.ts'
import { isIssueNotFoundError } from '../../slots/tracker.ts'
import { findActive, type ManagerContext, trackerOf } from '../context.ts'

export interface Expanded {
  /** Begins with the text as it was. */
  text: string
  files: GivenFile[]
  /** Words that were left as they are, and why. */
  notes: string[]
}

interface Sender {
  project: ProjectConfig
  /** null: it is made from the repository. */
  workspacePath: string | null
}

const MOST_TEXT = 20_000

export async function expandReferences(context: ManagerContext, text: string, to: Sender): Promise<Expanded> {
  const expanded: Expanded = { text, files: [], notes: [] }
  for (const reference of findReferences(text)) {
    try {
      const section = await take(context, reference, to, expanded.files)
      if (section !== null) expanded.text += `\n\n${section}`
    } catch (error) {
      expanded.notes.push(`${reference.written} stays a word: ${errorText(error)}`)
    }
  }
  return expanded
}

/** null: there is nothing to add to the text. Throws why it is not taken along. */
async function take(
  context: ManagerContext,
  reference: Reference,
  to: Sender,
  files: GivenFile[],
): Promise<string | null> {
  switch (reference.kind) {
    case 'issue':
      return describeIssue(context, reference.name, to.project)
    case 'session':
      return describeSession(context, reference.name)
    case 'path': {
      const file = await findFile(context, reference.name, to)
      if (file) files.push(file)
      return null
    }
  }
}

async function describeIssue(context: ManagerContext, id: string, project: ProjectConfig): Promise<string> {
  const tracker = await trackerOf(context, project)
  if (!tracker) throw new Error('the project has no tracker')
  try {
    const issue = await tracker.getIssue(id, project)
    const text = `${issue.title} (${issue.state})\n\n${issue.description}`.slice(0, MOST_TEXT)
    return fenceUntrusted(text, `issue ${issue.id}${issue.author === undefined ? '' : ` by ${issue.author}`}`)
  } catch (error) {
    throw isIssueNotFoundError(error) ? new Error(`${tracker.name} has no such issue`) : error
  }
}

/** null: there is no such session, and the word means something else. */
function describeSession(context: ManagerContext, id: string): string | null {
  const found = findActive(context, id)
  if (!found) return null
  const { record } = found.stored
  const facts = [
    ['status', record.status],
    ['branch', record.branch],
    ['issue', record.issueTitle ?? record.issue],
    ['pull request', record.pr],
    ['task', record.userPrompt],
  ].flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}`]))
  return fenceUntrusted(facts.join('\n').slice(0, MOST_TEXT), `the record of session ${id}`)
}

/** null: the agent has it, or there is no such file. */
async function findFile(context: ManagerContext, path: string, to: Sender): Promise<GivenFile | null> {
  const { project, workspacePath } = to
  if (workspacePath !== null && pathInside(workspacePath, path) !== null && isFile(workspacePath, path)) return null
  if (!isFile(project.path, path)) return null
  const real = pathInside(project.path, path)
  if (real === null) throw new Error('it is outside of the repository')
  const below = real.slice(realPathOf(project.path)!.length)
  const isOwn = isInside(realPathOf(context.paths.dataDir) ?? context.paths.dataDir, real)
  if (isOwn || isSecretPath(below) || isSecretPath(path))
    throw new Error('it may hold secrets; --file sends it all the same')
  if (workspacePath === null && (await isTracked(context, project, path))) return null
  const name = below.split('/').at(-1) ?? path
  return { name, bytes: readBytes(real, { maxBytes: ATTACHMENT_LIMITS.bytes, noFollow: true }) }
}

function isFile(directory: string, path: string): boolean {
  const real = realPathOf(path.startsWith('/') ? path : `${directory}/${path}`)
  return real !== null && statSync(real, { throwIfNoEntry: false })?.isFile() === true
}

/** Then its worktree has it. */
async function isTracked(context: ManagerContext, project: ProjectConfig, path: string): Promise<boolean> {
  const repository = openRepository(project.path, context.env)
  return (await gitOn(repository, ['ls-files', '--', `:(literal)${path}`], { read: true })).trim() !== ''
}
