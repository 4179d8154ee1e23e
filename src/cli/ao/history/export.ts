// `ao session export`: one file that another machine can import.
import { resolve } from 'node:path'
import { plural } from '../../../core/text/format-age.ts'
import { defineCommand, JSON_OPTION } from '../../command.ts'
import { openAo } from '../open-ao.ts'

export const sessionExportCommand = defineCommand({
  name: 'session export',
  about: 'Write a session with its work into one file',
  details:
    'With record, history, recorded terminal or conversation, and the branch and saved work as a git bundle. Secrets are redacted in everything but the commits and attached files.\nUncommitted files are refused: ao session kill --purge saves them first.',
  args: {
    session: { about: 'Session id', required: true, completes: 'session' },
    file: { about: 'Output file (default: <session>.ao.tar.gz)', completes: 'file' },
  },
  options: {
    'committed-only': { about: 'Leave out uncommitted work' },
    json: JSON_OPTION,
  },
  json: '{ file, bytes, leftOut, manifest: { version, session, branch, rescues, files, … } }',
  async run({ args, options }, io) {
    const { manager } = await openAo(io)
    const file = resolve(io.cwd, args.file ?? `${args.session}.ao.tar.gz`)
    const exported = await manager.exportSession(args.session, { file, committedOnly: options['committed-only'] })
    if (options.json) return void io.json(exported)
    const { branch, rescues } = exported.manifest
    io.print(`exported ${args.session} to ${file} (${Math.ceil(exported.bytes / 1024)} KB)`)
    const work = [
      branch && `branch ${branch.name}`,
      rescues.length > 0 && `${rescues.length} saved ${rescues.length === 1 ? 'state' : 'states'}`,
    ]
    io.print(`  ${work.filter(Boolean).join(', ') || 'without any work'}`)
    if (exported.leftOut > 0)
      io.note(`  without ${plural(exported.leftOut, 'attached file')}: too much for one import, or not as sent`)
    io.note('  import it elsewhere: ao session import <file>')
  },
})
