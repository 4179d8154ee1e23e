// The hunk that a comment on a line is about, up to that line, as GitHub shows it.
import { mergeBase } from '../../forge/merge/merge-memory.ts'
import type { LocalPull } from '../../forge/pulls/pull-events.ts'
import type { LocalForge } from '../../forge/types.ts'
import { tryGitOn } from '../../git/repository.ts'
import type { LocatedComment } from './locate-comments.ts'

const FORMAT = ['--no-color', '--no-ext-diff', '--no-textconv', '--unified=3']

export async function diffHunks(
  forge: LocalForge,
  pull: LocalPull,
  comments: readonly LocatedComment[],
): Promise<(comment: LocatedComment) => string> {
  const diffs = new Map<string, string>()
  for (const { commit, path } of comments) {
    const key = `${commit}\0${path}`
    if (!diffs.has(key)) diffs.set(key, await diffOf(forge, pull, commit, path))
  }
  return ({ commit, path, originalLine }) =>
    originalLine === undefined ? '' : hunkUpTo(diffs.get(`${commit}\0${path}`) ?? '', originalLine)
}

/** '' when the commit is gone: a comment is shown without its hunk rather than not at all. */
async function diffOf(forge: LocalForge, pull: LocalPull, commit: string, path: string): Promise<string> {
  const base = pull.mergeCommit === null ? `refs/heads/${pull.base}` : `${pull.mergeCommit}^`
  const from = (await mergeBase(forge.memory, forge.repository(), { head: commit, base })) ?? base
  const result = await tryGitOn(forge.repository(), ['diff', ...FORMAT, from, commit, '--', `:(literal)${path}`], {
    read: true,
  })
  return result.ok ? result.stdout : ''
}

function hunkUpTo(diff: string, line: number): string {
  for (const hunk of diff.split(/^(?=@@ )/m).slice(1)) {
    const [head = '', ...lines] = hunk.replace(/\n$/, '').split('\n')
    const [, start = '0', count = '1'] = /^@@ -\S+ \+(\d+)(?:,(\d+))? @@/.exec(head) ?? []
    if (line < Number(start) || line >= Number(start) + Number(count)) continue
    let at = Number(start) - 1
    const end = lines.findIndex((one) => {
      if (!one.startsWith('-') && !one.startsWith('\\')) at++
      return at === line && !one.startsWith('-')
    })
    return [head, ...lines.slice(0, end + 1)].join('\n')
  }
  return ''
}
