// The commits of a checkpoint and its ref. A message waits for them, so all commands of git are run by one small program: starting
// another one from here takes longer than what most of them do.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runGitScript } from '../git.ts'
import { asAo, FIXED_DATE } from './rescue-commit.ts'

export interface CheckpointParts {
  path: string
  /** A directory for what git reads here. */
  scratch: string
  /** A copy of the index, with what is staged; afterwards with all files. */
  index: string
  /** null: there is no commit yet. */
  head: string | null
  isStaged: boolean
  /** What the working tree has beyond the index, one character for each byte. */
  paths: readonly string[]
  state: string | null
  message: string
  ref: string
  settings: readonly string[]
  env: NodeJS.ProcessEnv
  timeoutMs: number
  lockWaitMs: number
}

/** Everything that is not in this text comes as a file or in the environment. */
const SCRIPT = `set -e
if [ -n "$AO_TREE" ]; then staged=$AO_TREE; else staged=$(git "$@" write-tree); fi
parent=$(GIT_AUTHOR_DATE=$AO_DATE GIT_COMMITTER_DATE=$AO_DATE git "$@" \\
  commit-tree "$staged" \${AO_HEAD:+-p "$AO_HEAD"} -m 'Staged state')
files=$staged
if [ -s "$AO_SCRATCH/paths" ]; then
  git "$@" -c core.safecrlf=false update-index --add --remove -z --stdin <"$AO_SCRATCH/paths"
  files=$(git "$@" write-tree)
fi
commit=$(git "$@" commit-tree "$files" \${AO_HEAD:+-p "$AO_HEAD"} -p "$parent" \${AO_STATE:+-p "$AO_STATE"} \\
  -F "$AO_SCRATCH/message" -m "ao-index: $parent")
git "$@" update-ref --no-deref "$AO_REF" "$commit"
echo "$commit"
`

/** The commit. */
export async function writeCheckpoint(parts: CheckpointParts): Promise<string> {
  const { path, scratch, head, paths, message, settings, env, timeoutMs, lockWaitMs } = parts
  writeFileSync(join(scratch, 'paths'), Buffer.from(paths.map((one) => `${one}\0`).join(''), 'latin1'))
  writeFileSync(join(scratch, 'message'), message)
  const extraEnv = {
    ...asAo(),
    GIT_INDEX_FILE: parts.index,
    AO_SCRATCH: scratch,
    AO_DATE: FIXED_DATE,
    AO_REF: parts.ref,
    AO_HEAD: head ?? '',
    AO_STATE: parts.state ?? '',
    AO_TREE: head === null || parts.isStaged ? '' : `${head}^{tree}`,
  }
  const written = await runGitScript(path, SCRIPT, { settings, env, extraEnv, timeoutMs, lockWaitMs })
  return written.trim()
}
