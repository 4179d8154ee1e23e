// The files of a session that are searched.
import { join } from 'node:path'
import { type AghPaths, sessionDirectory } from '../agh/paths.ts'
import { isSafeName } from '../contract/ids.ts'
import type { Session } from '../contract/session.ts'
import type { AgentTranscripts } from '../slots/agent.ts'
import type { ProjectPaths } from '../store/paths.ts'
import { listParts, partName, recordingDirectory } from '../store/recording/recording-files.ts'
import { isTranscript, type Source } from './read-source.ts'

export interface Roots {
  paths: ProjectPaths
  agh: AghPaths
}

/** Its agent's own files, which may be anywhere. */
export function transcriptSources(names: readonly string[], transcripts: AgentTranscripts | null): Source[] {
  return names.map((name) => ({ kind: 'conversation', name, path: name, transcripts }))
}

export function listSources({ id, runtimeHandle }: Session, roots: Roots): Source[] {
  const { session, home } = runtimeHandle?.data ?? {}
  const isOurs = typeof session === 'string' && isSafeName(session) && home === roots.agh.home
  const parts = listParts(recordingDirectory(roots.paths.stateDir(id)))
  const names: Array<Omit<Source, 'path'>> = [
    { kind: 'prompt', name: '' },
    { kind: 'message', name: '' },
    ...parts.map(({ number }) => ({ kind: 'terminal' as const, name: String(number) })),
    ...(isOurs ? [{ kind: 'conversation' as const, name: session }] : []),
  ]
  return names.map((source) => ({ ...source, path: pathOf(id, source, roots) }))
}

export function pathOf(sessionId: string, { kind, name }: Omit<Source, 'path'>, { paths, agh }: Roots): string {
  if (kind === 'message') return paths.historyFile(sessionId)
  if (kind === 'conversation' && isTranscript({ kind, name })) return name
  if (kind === 'conversation') return join(sessionDirectory(agh, name), 'events.db')
  const stateDir = paths.stateDir(sessionId)
  return kind === 'prompt' ? join(stateDir, 'prompt.md') : join(recordingDirectory(stateDir), partName(Number(name)))
}
