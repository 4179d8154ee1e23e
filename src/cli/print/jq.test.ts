import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runJq } from './jq.ts'

const PULLS = [
  { number: 1, title: 'a b', author: { login: 'sam' }, labels: [{ name: 'x' }, { name: 'y' }], draft: false },
  { number: 2, title: 'ü', author: null, labels: [], draft: true },
]

describe('--jq without the program jq', () => {
  it.each([
    ['.[].number', '1\n2\n'],
    ['.[-1].title', 'ü\n'],
    ['.[].author.login', 'sam\nnull\n'],
    ['.[] | select(.draft | not) | .title', 'a b\n'],
    ['map({n: .number, a: .title})', '[{"a":"a b","n":1},{"a":"ü","n":2}]\n'],
    ['.[0].labels | map(.name) | join(", ")', 'x, y\n'],
    ['.[] | "\\(.number): \\(.title)"', '1: a b\n2: ü\n'],
    ['.[] | [.number, .title] | @tsv', '1\ta b\n2\tü\n'],
    ['[.[] | .labels[]?.name] | unique | length', '2\n'],
    ['.[] | select(.title | test("^A"; "i")) | .number', '1\n'],
    ['group_by(.draft) | map({(.[0].draft | tostring): length}) | add', '{"false":1,"true":1}\n'],
    ['sort_by(-.number)[0].number // "none"', '2\n'],
    ['.[] | if .author then .author.login else "nobody" end', 'sam\nnobody\n'],
    ['[.[] | .number] | add as $sum | {$sum}', '{"sum":3}\n'],
    ['empty', ''],
    ['.[0].title | -length', '-3\n'],
  ])('%s', async (expression, text) => {
    expect(await runJq(PULLS, expression)).toEqual({ text, problem: null })
  })

  it.each([
    ['.[', /^failed to parse jq expression: .*syntax error/s],
    ['nonsense', /^failed to parse jq expression: .*nonsense\/0 is not defined/s],
    ['.[0].title.x', /^jq: error .*Cannot index string/],
    ['error("no")', /^jq: error .*no/],
    ['--arg x 1', /^failed to parse jq expression/],
  ])('%s is refused, with jq’s reason', async (expression, problem) => {
    expect((await runJq(PULLS, expression)).problem).toMatch(problem)
  })

  it('has the environment of the command', async () => {
    const filter = 'def who: env.USER; who, $ENV.USER, (.[0] | env.USER), ($ENV | length)'
    expect(await runJq(PULLS, filter, { env: { USER: 'sam' } })).toEqual({ text: 'sam\nsam\nsam\n1\n', problem: null })
  })

  it('prints what came before an error', async () => {
    expect(await runJq([1, 'x'], '.[] | . + 1')).toMatchObject({
      text: '2\n',
      problem: expect.stringContaining('error'),
    })
  })

  it('brings any JSON back as it was', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), async (value) => {
        const { text } = await runJq([value], '.[0] | tojson')
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)))
      }),
      { numRuns: 50 },
    )
  })
})
