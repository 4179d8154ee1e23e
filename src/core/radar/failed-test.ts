// The name of the first test that failed, from what a runner printed. The text is written by what is under test. Pure.

const LONGEST_LINE = 400
const LONGEST_NAME = 200

/** Of one line each; the first that fits any line wins, so that the most telling ones come first. */
const FORMS: readonly RegExp[] = [
  /^FAILED ([^ ]{1,300}::[^ ]{1,300})/, // pytest
  /^[ \t]{0,9}--- FAIL: ([^ ]{1,300})/, // go test
  /^[ \t]{0,9}FAIL[ \t]{1,4}([^ \t]{1,300} > [^\n]{1,300})$/, // vitest
  /^[ \t]{0,9}● ([^\n]{1,300})$/, // jest
  /^[ \t]{0,40}not ok \d{1,9}(?: -)? ([^\n#]{1,300})/, // TAP
  /^[ \t]{0,40}[✖✗×] ([^\n]{1,300})$/, // node --test and others
  /^(?:FAIL|ERROR): ([^\n]{1,300})$/, // unittest
  /^test ([^ ]{1,300}) \.\.\. FAILED$/, // cargo
]

// biome-ignore lint/suspicious/noControlCharactersInRegex: logs are full of colours, which say nothing
const COLOUR = /\u001b\[[0-9;]*m/g

/** null: the log does not say. */
export function failedTest(log: string): string | null {
  const lines = log
    .split('\n')
    .filter((line) => line.length <= LONGEST_LINE)
    .map((line) => line.replace(COLOUR, '').replace(/\r$/, ''))
  for (const form of FORMS) {
    for (const line of lines) {
      const name = form
        .exec(line)?.[1]
        ?.replace(/ \(\d[\d.]{0,9} ?m?s\)$/, '')
        .trim()
      if (name && name !== 'failing tests:') return name.slice(0, LONGEST_NAME)
    }
  }
  return null
}
