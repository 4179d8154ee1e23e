// What an agent will do if it is allowed to: first what the request holds, then what the agent calls it.

import type { PermissionInput } from '../../../src/contract/agh/permission-input.ts'
import type { PermissionRequest } from '../../../src/contract/permission.ts'
import { CUT, HIDES, hidesAnything, ONLY_TITLE } from '../../../src/core/queue/describe-request.ts'
import { Icon } from '../ui/icon.tsx'
import { Visible } from '../ui/text/visible.tsx'
import { isLong } from './permission-answers.ts'

export type ShownRequest = Pick<PermissionRequest, 'title' | 'kind' | 'input' | 'isCut' | 'diffs'>

const HEADS: Record<PermissionInput['kind'], string> = {
  command: 'Command',
  path: 'File',
  url: 'Address',
  arguments: 'Called with',
  screen: 'On its screen',
}

export function RequestText({ request }: { request: ShownRequest }) {
  const { title, kind, input } = request
  const isTitleShown = !input || input.kind === 'screen' || input.differs || input.text.trim() !== title.trim()
  const isUnproven = !input && kind !== 'dialog' && (request.diffs ?? []).length === 0
  return (
    <div className="flex flex-col gap-1.5">
      {input && (
        <>
          <span className="text-2xs font-semibold text-muted">{HEADS[input.kind]}</span>
          <Box text={input.text} long={isLong(request)} />
          {input.rest !== undefined && <Box text={input.rest} long={isLong(request)} />}
        </>
      )}
      {isTitleShown &&
        (input && input.kind !== 'screen' ? (
          <p className={`text-xs ${input.differs ? 'font-medium text-bad' : 'text-muted'}`}>
            {input.differs ? 'The agent calls it something else: ' : 'The agent calls it: '}
            <Visible text={title} />
          </p>
        ) : (
          <Box text={title} long={isLong(request)} />
        ))}
      {isUnproven && <p className="text-xs text-muted">{ONLY_TITLE}</p>}
      {hidesAnything(request) && <Warning text={HIDES} />}
      {request.isCut && <Warning text={CUT} />}
      {!request.isCut && isLong(request) && <Warning text="It is long: read it to its end before you answer." />}
    </div>
  )
}

/** Whole, without a scroll bar in which its end could hide, unless it is very long. */
function Box({ text, long }: { text: string; long: boolean }) {
  return (
    <code
      {...(long && { tabIndex: 0 })}
      className={`rounded bg-surface px-2 py-1 font-mono text-xs [overflow-wrap:anywhere] whitespace-pre-wrap ${long ? 'max-h-128 overflow-y-scroll' : ''}`}
    >
      <Visible text={text} lines />
    </code>
  )
}

function Warning({ text }: { text: string }) {
  return (
    <p className="flex items-start gap-1.5 text-xs font-medium text-bad">
      <Icon name="warning" className="mt-0.5 size-3.5" />
      {text}
    </p>
  )
}
