// `.ao/` in a worktree, which informs an agent about its session. Never touches a tracked file.
import { lstatSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { AoError } from '../contract/errors.ts'
import type { HandIn } from '../contract/forges.ts'
import { writeFileAtomic } from '../lib/atomic-write.ts'
import { readIfThere } from '../lib/plain-file.ts'

export interface AoDirectoryFacts {
  sessionId: string
  handIn: HandIn
  /** `.ao/AGENTS.md` belongs to the repository, whatever it says. */
  isTracked?: boolean
}

const AGENTS_MD = 'AGENTS.md'
/** From the root of a checkout. */
export const AGENTS_MD_PATH = `.ao/${AGENTS_MD}`
const HEADING = '## Agent Orchestrator (ao) Session'

/** Creates `.ao/` and `.ao/AGENTS.md`. Exclude `.ao/` from git first. */
export function writeAoDirectory(workspacePath: string, facts: AoDirectoryFacts): void {
  const directory = ensureAoDirectory(workspacePath)
  const file = join(directory, AGENTS_MD)
  if (facts.isTracked) return
  const existing = readIfThere(file)
  // A repository may have such a file of its own; it is not ours to change.
  if (existing !== null && !existing.includes(HEADING)) return
  const text = agentsMd(facts)
  if (existing !== text) writeFileAtomic(file, text, { mode: 0o644, durable: false, isForeign: true })
}

/** A repository can contain `.ao` as a link to anywhere; ao writes only into a real directory of the worktree. */
export function ensureAoDirectory(workspacePath: string): string {
  const directory = join(workspacePath, '.ao')
  const before = lstatSync(directory, { throwIfNoEntry: false })
  if (before === undefined) mkdirSync(directory, { recursive: true })
  if (before === undefined || before.isDirectory()) return directory
  const what = before.isSymbolicLink() ? 'a link' : 'a file'
  throw new AoError('WORKSPACE_FAILED', `${directory} is ${what}, and ao needs a directory of its own there`, {
    hint: `Remove it from the repository: git rm ${directory}`,
    details: { path: directory },
  })
}

function agentsMd({ sessionId, handIn }: AoDirectoryFacts): string {
  return `${HEADING}

You run inside session \`${sessionId}\`, which Agent Orchestrator (ao) manages. This directory is your own git worktree,
on a branch of its own. A person supervises many sessions like this one and sees your progress through ao.

- Work in this worktree only, and stay on your branch unless the task says otherwise.
- Commit as you go. When the task is done, ${handIn.complete}.
- Later messages may bring failed checks, review comments or merge conflicts: fix them and ${handIn.update}.
- \`.ao/\` belongs to ao and is ignored by git. Do not edit or commit it.

### Session metadata

ao keeps a record of the session outside this directory. You need not update it: \`gh\` and \`git\` on your PATH are thin
wrappers that run the real commands and note new branches, pull requests and merges.

If the wrappers were bypassed (you called \`/usr/bin/gh\`, or PATH was reset), note it by hand:

\`\`\`bash
source ~/.ao/bin/ao-metadata-helper.sh
update_ao_metadata pr "https://github.com/owner/repo/pull/1" status pr_open
update_ao_metadata branch "feat/my-branch"
\`\`\`

It needs the environment variables \`AO_SESSION\` and \`AO_DATA_DIR\` that ao has set for you. Where \`AO_HOME\` is set, it lies
below that directory instead of \`~\`.

### Bugs and ideas about ao itself

Two tools are there for what you notice about ao (its commands, wrappers, prompts and messages), not for the project you
work on: \`bug_report\` and \`improvement_suggestion\`. Where you are not offered them as tools, run them as commands:

\`\`\`bash
ao feedback new bug_report --title "..." --body "..." --source "the command or message" --confidence 0.8
ao feedback new improvement_suggestion --title "..." --body "..." --source "..." --confidence 0.5
\`\`\`
`
}
