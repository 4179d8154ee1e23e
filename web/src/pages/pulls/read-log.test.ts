import { describe, expect, it } from 'vitest'
import { readLog } from './read-log.ts'

describe('readLog', () => {
  it.each([
    ['\u001b[31mred\u001b[0m and \u001b[1;32mgreen\u001b[m', 'red and green'],
    ['10%\r50%\r100%\nnext\r\n', '100%\nnext'],
    ['\u001b]8;;https://x\u0007link\u001b]8;;\u0007\u0000\u0007', 'link'],
    ['\ttabs stay\n\n  and indents  \n\n', '\ttabs stay\n\n  and indents'],
    ['<script>alert(1)</script>', '<script>alert(1)</script>'],
  ])('%j is %j', (log, text) => {
    expect(readLog(log)).toBe(text)
  })
})
