// `ao search`: words in everything that sessions leave behind.
import { aghPaths } from '../../../agh/paths.ts'
import type { SearchHit } from '../../../contract/dashboard/search.ts'
import { AoError } from '../../../contract/errors.ts'
import { asQuery, parseQuery } from '../../../core/search/parse-query.ts'
import { transcriptsIn } from '../../../manager/observe/transcripts.ts'
import { withIndex } from '../../../search/index-file.ts'
import { searchSessions, workOf } from '../../../search/search-sessions.ts'
import type { AoPaths } from '../../../store/paths.ts'
import { expandQuery, readSaved, saveQuery } from '../../../store/saved.ts'
import { wholeNumber } from '../../arguments/whole-number.ts'
import { defineCommand, JSON_OPTION } from '../../command.ts'
import type { Io } from '../../print/io.ts'
import { localMinute } from '../../print/local-time.ts'
import { toOneLine } from '../../print/plain-text.ts'
import { openAo } from '../open-ao.ts'

const DEFAULT_COUNT = 20
/** From this many sessions on, reading them takes a moment. */
const MANY = 200

export const searchCommand = defineCommand({
  name: 'search',
  about: 'Find words in prompts, messages, terminals, conversations and diffs of all sessions',
  details:
    'Ended and archived sessions too. All words must be in one message, each at the beginning of a word; "two words" in quotes are found as they are.\nFilters: project:<id>, agent:<name>, status:<word>, in:<prompt, message, terminal, conversation or diff>, file:<end of a path>, before:<date>, after:<date or age, such as 3d>.',
  args: { query: { about: 'Words and filters; @name for a saved search', variadic: true } },
  options: {
    limit: { short: 'n', value: 'count', about: `Maximum number (default ${DEFAULT_COUNT})` },
    save: { value: 'name', about: 'Keep this search under a name, on the page too' },
    saved: { about: 'List saved searches' },
    forget: { value: 'name', about: 'Forget a saved search' },
    rebuild: { about: 'Read all files again first' },
    json: JSON_OPTION,
  },
  json: '{ hits: [{ sessionId, projectId, agent, status, title, kind, at, sequence, excerpt }] }; with --saved { saved: [{ name, query }] }',
  examples: [
    { line: 'ao search token expires after:2w', about: 'Who dealt with expiring tokens lately' },
    { line: 'ao search "connection reset" agent:codex status:merged', about: 'An exact text, in merged work of Codex' },
    { line: 'ao search migration file:schema.sql', about: 'Messages about a migration that changed this file' },
    { line: 'ao search --save tokens token expires', about: 'Keep it; from now on: ao search @tokens after:1d' },
  ],
  async run({ args, options }, io) {
    const now = io.clock.now().getTime()
    const { config, context, paths } = await openAo(io)
    if (options.forget !== undefined) await saveQuery(paths, options.forget, null)
    if (options.saved || (options.forget !== undefined && args.query.length === 0))
      return listSaved(paths, options.json, io)
    const { text, note } = expandQuery(paths, args.query.map(asQuery).join(' '))
    if (note !== null) io.note(note)
    const query = parseQuery(text, now)
    if (query.problem !== null) throw new AoError('USAGE', query.problem, { hint: 'See: ao search --help' })
    if (options.save !== undefined) await saveQuery(paths, options.save, text)
    const { hits, isWhole } = await withIndex(paths, { anew: options.rebuild }, (db) =>
      searchSessions(db, query, {
        stores: Object.keys(config.projects).map(context.store),
        agh: aghPaths(io.env, io.home),
        limit: wholeNumber('--limit', options.limit) ?? DEFAULT_COUNT,
        now,
        deadline: Number.POSITIVE_INFINITY,
        ...workOf(config, io.env),
        transcripts: transcriptsIn(context),
        ...(options.rebuild && { diffMs: Number.POSITIVE_INFINITY }),
        onSession: (done) => {
          if (done % MANY === 0 && io.noteIsTerminal) io.note(`${done} sessions read`)
        },
      }),
    )
    if (!isWhole) io.note('The index could not be brought up to date: newer messages may be missing')
    if (options.json) io.json({ hits })
    else printHits(hits, io)
    return hits.length === 0 ? 1 : 0
  },
})

function listSaved(paths: AoPaths, json: boolean, io: Io): number {
  const { queries, problem } = readSaved(paths)
  if (problem !== null) io.note(problem)
  const saved = Object.entries(queries).map(([name, query]) => ({ name, query }))
  if (json) io.json({ saved })
  else io.printLines(saved.map(({ name, query }) => `${io.style.bold(`@${name}`)}  ${toOneLine(query)}`))
  if (!json && saved.length === 0) io.note('No search is saved. Save one with: ao search --save <name> <words>')
  return problem === null ? 0 : 1
}

function printHits(hits: readonly SearchHit[], io: Io): void {
  let before: string | null = null
  for (const { sessionId, agent, status, title, kind, at, excerpt } of hits) {
    if (sessionId !== before) {
      io.print(`${io.style.bold(sessionId)} ${toOneLine(title)} ${io.style.dim(`${agent}, ${status}`)}`)
    }
    before = sessionId
    io.print(`  ${io.style.dim(`${at === null ? '' : localMinute(at)} ${kind}`)}  ${toOneLine(excerpt)}`)
  }
  if (hits.length === 0) io.note('Nothing was found')
}
