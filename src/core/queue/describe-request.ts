// A request of an agent as text, the same on every surface: first what will be done, then the agent's own words, with
// everything invisible spelled out. Pure.
import type { FileDiff } from '../../contract/agh/transcript.ts'
import type { PermissionRequest } from '../../contract/permission.ts'
import { changedPart } from '../agh/transcript/read-content.ts'
import { hidesText, visibleLine, visibleText } from '../text/visible-text.ts'

type DescribedRequest = Pick<PermissionRequest, 'title' | 'input' | 'isCut' | 'diffs' | 'diffsOmitted'>

export const CUT = 'This is not all of it: read the rest in its terminal before you answer.'
export const HIDES = 'It contains characters that cannot be seen; they are spelled out as ⟨U+…⟩.'
const DIFFERS = 'The agent calls it something else'
export const ONLY_TITLE = 'These are the agent’s own words; it did not send what it will run.'

export function hidesAnything({ title, input, diffs = [] }: DescribedRequest): boolean {
  const changes = diffs.flatMap(({ path, old_text, new_text }) => [path, old_text ?? '', new_text])
  return [title, input?.text ?? '', input?.rest ?? '', ...changes].some(hidesText)
}

export function describeRequest(request: DescribedRequest): string[] {
  const { title, input, isCut, diffs = [], diffsOmitted } = request
  return [
    ...doneLines(request),
    ...diffs.flatMap(changeLines),
    ...(input?.differs ? [`${DIFFERS}: ${visibleLine(title)}`] : []),
    ...(hidesAnything(request) ? [HIDES] : []),
    ...(isCut || diffsOmitted ? [CUT] : []),
  ]
}

function changeLines({ path, old_text, new_text }: FileDiff): string[] {
  const part = old_text === null ? { old_text: null, new_text } : changedPart(old_text, new_text)
  const marked = (mark: string, text: string) =>
    visibleText(text)
      .split('\n')
      .map((line) => `${mark} ${line}`)
  const removed = part.old_text === null || part.old_text === '' ? [] : marked('-', part.old_text)
  return [`Changes ${visibleLine(path)}:`, ...removed, ...marked('+', part.new_text)]
}

/** The text above a question in a terminal is read before it. */
function doneLines({ title, input }: DescribedRequest): string[] {
  const own = visibleText(title).split('\n')
  if (!input) return own
  const lines = visibleText(input.text).split('\n')
  if (input.kind === 'screen') return [...lines, ...own]
  const rest = input.rest === undefined ? [] : visibleText(input.rest).split('\n')
  return [...lines, ...rest, ...(input.differs || visibleText(title) === lines.join('\n') ? [] : own)]
}

/** A notification has room for this much; it says when it is not all. */
export const MAX_QUESTION = 600

/** In one line of at most this many characters. */
export function requestLine(request: DescribedRequest, max: number): string {
  const line = doneLines(request).map(visibleLine).join('⏎')
  const notes = [
    ...(line.length > max || request.isCut || request.diffsOmitted ? ['cut: read it in the terminal'] : []),
    ...(request.diffs?.length
      ? [
          `changes ${request.diffs
            .map(({ path }) => visibleLine(path))
            .join(', ')
            .slice(0, 80)}`,
        ]
      : []),
    ...(request.input?.differs ? [`the agent calls it: ${visibleLine(request.title).slice(0, 80)}`] : []),
    ...(hidesAnything(request) ? ['it contains characters that cannot be seen'] : []),
  ]
  const shown = line.length > max ? `${line.slice(0, max)}…` : line
  return notes.length === 0 ? shown : `${shown} (${notes.join('; ')})`
}
