// The JSON work of `ao-hook`, which is a shell script: node is started only for what a shell cannot do safely.
//   node ao-hook.mjs shorten <bytes>   cuts long texts inside the JSON on stdin until it fits
//   node ao-hook.mjs bash-call         says what a finished call of Claude's Bash tool means, one fact a line
import { readFileSync } from 'node:fs'

const [job, argument] = process.argv.slice(2)
const input = JSON.parse(readFileSync(0, 'utf8'))
process.stdout.write(job === 'shorten' ? shorten(input, Number(argument)) : bashFacts(input))

/** What is left is still JSON, with the same keys. */
function shorten(payload, limit) {
  for (let length = 4096; length >= 1; length = Math.floor(length / 4)) {
    const text = JSON.stringify({ ...cut(payload, length), truncated: true })
    if (Buffer.byteLength(text) <= limit) return text
  }
  return '{"truncated":true}'
}

function cut(value, length) {
  if (typeof value === 'string') return value.length > length ? `${value.slice(0, length).toWellFormed()}…` : value
  if (Array.isArray(value)) return value.slice(0, length).map((item) => cut(item, length))
  if (value === null || typeof value !== 'object') return value
  const entries = Object.entries(value).slice(0, length)
  return Object.fromEntries(entries.map(([key, item]) => [key.slice(0, 200), cut(item, length)]))
}

/**
 * `created URL`, `merged SELECTOR`, `branch create|change NAME…`, after `in DIRECTORY`.
 * The command may be a whole script, so this only recognises what is plainly there; the caller checks branches against
 * the repository, and a merge counts only where the exit status is certainly its own.
 */
function bashFacts({ tool_name, tool_input, tool_response, cwd }) {
  if (tool_name !== 'Bash' || tool_response?.interrupted) return ''
  const command = String(tool_input?.command ?? '')
  const facts = [`in ${oneLine(cwd)}`]
  for (const words of commandsOf(command, 'git', 'checkout|switch')) facts.push(`branch ${branchFact(words)}`)
  const url = lastPullRequest(String(tool_response?.stdout ?? ''))
  if (url && commandsOf(command, 'gh', 'pr\\s+(?:create|new)').length > 0) facts.push(`created ${url}`)
  const merge = /^\s*(?:cd\s+\S+\s*&&\s*)?gh\s+pr\s+merge((?:\s+[^\s;&|<>"'`$()\\]+)*)\s*$/.exec(command)
  if (merge && !/--(?:auto|disable-auto|help)\b/.test(merge[1])) facts.push(`merged ${selectorOf(merge[1])}`)
  return `${facts.join('\n')}\n`
}

/** The arguments of every such call in a position where a command can be. */
function commandsOf(script, program, subcommand) {
  const start = String.raw`(?:^|[;&|({\n])\s*(?:\w+=\S*\s+)*(?:\S*/)?${program}`
  const options = String.raw`(?:\s+-[Cc]\s+\S+|\s+--?[\w-]+(?:=\S+)?)*`
  const pattern = new RegExp(String.raw`${start}${options}\s+(?:${subcommand})(?=[\s;&|)]|$)([^;&|\n)]*)`, 'g')
  return [...script.matchAll(pattern)].map((match) => match[1].trim().split(/\s+/).map(unquote))
}

function branchFact(words) {
  const creates = words.some((word) => /^(?:-[a-zA-Z]*[bBcCt]|--(?:create|force-create|orphan|track))/.test(word))
  return [creates ? 'create' : 'change', ...words.filter((word) => !word.startsWith('--'))].join(' ')
}

function lastPullRequest(stdout) {
  const urls = stdout.match(/^[ \t]*https?:\/\/[^\s/"]+\/[^\s/"]+\/[^\s/"]+\/pull\/\d+[ \t\r]*$/gm)
  return urls?.at(-1)?.trim()
}

function selectorOf(text) {
  return text.split(/\s+/).find((word) => word !== '' && !word.startsWith('-')) ?? ''
}

function unquote(word) {
  return word.replace(/^(["'])(.*)\1$/, '$2')
}

function oneLine(text) {
  return String(text ?? '').replace(/[\r\n]+/g, ' ')
}
