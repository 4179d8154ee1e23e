// `ao doctor --bundle <file>`: what somebody needs who helps from afar, as one text file that can be read before it is sent.
// No secrets: values of variables are left out, everything else goes through the same redaction as the logs.
import { writeFileSync } from 'node:fs'
import { arch, platform, release } from 'node:os'
import { resolve } from 'node:path'
import { AoError, errorText } from '../../../contract/errors.ts'
import { recordOf } from '../../../contract/record.ts'
import { redact, secretValues } from '../../../core/text/redact.ts'
import { readTail } from '../../../lib/plain-file.ts'
import { AO_VERSION } from '../../../lib/version.ts'
import { readRunState, runFiles } from '../../../lifecycle/loop/run-state.ts'
import type { Finding } from '../../print/findings.ts'
import type { Io } from '../../print/io.ts'
import { type Ao, openAo } from '../open-ao.ts'

const LOG_BYTES = 64 * 1024

export async function writeBundle(file: string, findings: Finding[], io: Io): Promise<string> {
  const path = resolve(io.cwd, file)
  const sections = [
    section(
      'ao',
      `version ${AO_VERSION ?? 'development'}\nnode ${process.version}\n${platform()} ${release()} ${arch()}`,
    ),
    section(
      'doctor',
      findings.map(({ level, name, detail, fix }) => [level, name, detail, fix].filter(Boolean).join(' | ')).join('\n'),
    ),
    ...(await ofProject(io)),
    section('names of environment variables', Object.keys(io.env).sort().join(' ')),
  ]
  const text = redact(
    `# ao support bundle, ${io.clock.now().toISOString()}\n\n${sections.join('\n')}`,
    secretValues(io.env),
  )
  try {
    writeFileSync(path, text, { flag: 'wx', mode: 0o600 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    throw new AoError('USAGE', `${path} exists already`, { hint: 'Name another file' })
  }
  return path
}

async function ofProject(io: Io): Promise<string[]> {
  try {
    const ao = await openAo(io)
    return [
      section('configuration', await readConfiguration(ao)),
      section('loop', JSON.stringify(readRunState(runFiles(ao.paths)), null, 2)),
      section('end of the log', readLog(ao)),
      section('sessions', await readSessions(ao)),
    ]
  } catch (error) {
    return [section('configuration', errorText(error))]
  }
}

async function readConfiguration({ config }: Ao): Promise<string> {
  const { showConfig } = await import('../../../config/show-config.ts')
  return JSON.stringify(showConfig(config), null, 2)
}

function readLog({ paths }: Ao): string {
  const files = runFiles(paths)
  try {
    return readTail(readRunState(files)?.log ?? files.log, LOG_BYTES).toString('utf8')
  } catch (error) {
    return errorText(error)
  }
}

/** What they are, not what they were told: prompts and messages are the user's own. */
async function readSessions({ manager }: Ao): Promise<string> {
  const sessions = await manager.list()
  const lines = sessions.map((session) => {
    const { agent, runtime } = recordOf(session)
    const { id, projectId, status, activity } = session
    return [id, projectId, status, activity ?? 'unknown', agent, runtime].join(' | ')
  })
  return lines.join('\n')
}

function section(title: string, text: string): string {
  return `## ${title}\n\n${text.trimEnd() || '(nothing)'}\n`
}
