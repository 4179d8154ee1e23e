import { expect, it } from 'vitest'
import { positionOf } from './read-reviews.ts'

const at = (new_line: number, start?: number) => ({
  position: { new_path: 'a.ts', new_line, head_sha: 'abc', line_range: start ? { start: { new_line: start } } : null },
})
const suggests = (lines: string) => ({ body: `Better:\n\`\`\`suggestion${lines}\nx\n\`\`\`` })

it.each([
  ['a remark on one line', at(7), { body: 'Why?' }, [undefined, 7]],
  ['a remark on several lines', at(7, 5), { body: 'Why?' }, [5, 7]],
  ['a suggestion for the line', at(7), suggests(':-0+0'), [undefined, 7]],
  ['a suggestion for lines around it', at(7), suggests(':-2+1'), [5, 8]],
  ['a suggestion for fewer lines than the remark is about', at(7, 3), suggests(':-1+0'), [6, 7]],
  ['a suggestion that begins before the file', at(2), suggests(':-5+0'), [1, 2]],
  ['a remark on the whole', { position: null }, suggests(':-1+1'), [undefined, undefined]],
])('%s is about the lines that GitLab would replace', (_what, thread, note, [startLine, line]) => {
  expect(positionOf(thread, note)).toMatchObject({ startLine, line })
})
