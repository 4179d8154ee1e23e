import { describe, expect, it } from 'vitest'
import { renderTemplate } from './template.ts'

const PULLS = [
  { number: 12, title: 'Add a', draft: false, author: { login: 'sam' }, labels: [{ name: 'x' }, { name: 'y' }] },
  { number: 3, title: 'B', draft: true, author: null, labels: [], updatedAt: '2026-01-02T15:04:05Z' },
]
const OPTIONS = { isTerminal: false, width: 80, now: new Date('2026-01-05T15:04:05Z') }
const render = (template: string, value: unknown = PULLS, isTerminal = false) =>
  renderTemplate(template, value, { ...OPTIONS, isTerminal })

describe('--template', () => {
  it.each([
    ['{{range .}}#{{.number}} {{.title}}{{"\\n"}}{{end}}', '#12 Add a\n#3 B\n'],
    ['{{range $i, $pr := .}}{{$i}}:{{$pr.title}} {{end}}', '0:Add a 1:B '],
    ['{{len .}} {{(index . 0).author.login}} {{index . 0 "title"}}', '2 sam Add a'],
    ['{{range .}}{{if .draft}}draft{{else}}ready{{end}} {{end}}', 'ready draft '],
    ['{{range .}}{{if eq .number 3}}three{{else if gt .number 10}}many{{end}} {{end}}', 'many three '],
    ['{{range .}}{{with .author}}{{.login}}{{else}}nobody{{end}} {{end}}', 'sam nobody '],
    ['{{range .}}{{join ", " (pluck "name" .labels)}};{{end}}', 'x, y;;'],
    ['{{range .}}{{pluck "name" .labels | join "+"}};{{end}}', 'x+y;;'],
    ['{{printf "%-6s|%03d|%q|%v" "ab" 7 "q" true}}', 'ab    |007|"q"|true'],
    ['{{$n := len .}}{{if and (gt $n 1) (not false)}}more{{end}}', 'more'],
    ['{{- /* nothing */ -}}  a  {{- 1 -}}  b', 'a1b'],
    ['{{(index . 1).updatedAt | timeago}}', 'about 3 days ago'],
    ['{{timefmt "Mon 02 Jan 2006 15:04 MST" (index . 1).updatedAt}}', 'Fri 02 Jan 2026 15:04 UTC'],
    ['{{range .}}{{tablerow .number .title}}{{end}}', '12  Add a\n3   B\n'],
    ['{{truncate 7 "a long text"}} {{autocolor "green" "ok"}} {{hyperlink "http://x" "t"}}', 'a lo... ok t'],
    [
      '{{.}}',
      '[map[author:map[login:sam] draft:false labels:[map[name:x] map[name:y]] number:12 title:Add a] map[author:<nil> draft:true labels:[] number:3 title:B updatedAt:2026-01-02T15:04:05Z]]',
    ],
    ['{{(index . 0).missing}}', '<no value>'],
    ['{{`raw "}}"`}}', 'raw "}}"'],
  ])('%s', (template, text) => {
    expect(render(template)).toBe(text)
  })

  it.each([
    ['{{', /unclosed action/],
    ['{{if .}}x', /{{end}} is missing/],
    ['{{end}}', /unexpected {{end}}/],
    ['{{nonsense .}}', /function "nonsense" not defined/],
    ['{{define "x"}}{{end}}', /{{define}} is not available here/],
    ['{{template "x"}}', /{{template}} is not available here/],
    ['{{$x}}', /undefined variable "\$x"/],
    ['{{.title}}', /can't evaluate field title/],
    ['{{index . 9}}', /index out of range/],
    ['{{(len .}}', /unbalanced parentheses/],
    ['{{1 | 2}}', /can't give argument/],
    ['{{"\\z"}}', /not an escape/],
    ['{{constructor}}', /function "constructor" not defined/],
    ['{{range 3}}{{end}}', /range can't iterate/],
    ['{{printf "%w" 1}}', /printf does not know %w/],
  ])('refuses %s', (template, why) => {
    expect(() => render(template)).toThrow(why)
  })

  it('colours on a terminal what the template asks for, and never what the data brings', () => {
    expect(render('{{autocolor "red+b" .}}', 'x', true)).toBe('\x1b[1;31mx\x1b[0m')
    expect(render('{{.}}', '\x1b[2J', true)).not.toContain('\x1b')
    expect(render('{{.a.__proto__}}{{.constructor}}', { a: {} })).toBe('<no value><no value>')
  })
})
