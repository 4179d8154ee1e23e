// Whether this browser notifies its person, with push messages and sound.
import { useMutation } from '@tanstack/react-query'
import { testPush } from '../../notify/push.ts'
import {
  type NotifyState,
  switchNotifications,
  switchSound,
  useNotifyState,
  usePushState,
  useSound,
} from '../../notify/use-notifications.ts'
import { Button } from '../../ui/button.tsx'
import { hintOf } from '../../ui/error-state.tsx'
import { toast } from '../../ui/overlay/toast.tsx'
import { Panel } from '../../ui/panel.tsx'

const LABELS: Record<NotifyState, string> = {
  on: 'While no page of ao has the focus, you are notified when a session begins to need you.',
  off: 'You are not notified by this browser.',
  blocked: 'This browser blocks notifications from this page. Allow them in its site settings.',
  unavailable: 'Browsers show notifications only of pages on this machine or over https.',
}
const WITH_PUSH = 'You are notified when a session begins to need you, also while no page of ao is open.'

export function BrowserNotifications() {
  const state = useNotifyState()
  const hasPush = usePushState()
  const sound = useSound()
  const switching = useMutation({
    mutationFn: switchNotifications,
    onSuccess: (problem, on) => {
      if (on && problem !== null)
        toast({
          tone: 'attention',
          title: 'Only while a page of ao is open',
          detail: `There are no push messages: ${problem}`,
        })
    },
    onError: failed,
  })
  const testing = useMutation({
    mutationFn: testPush,
    onSuccess: ({ ok, message }) =>
      toast({ tone: ok ? 'good' : 'bad', title: ok ? 'Sent' : 'Not sent', detail: message }),
    onError: failed,
  })
  return (
    <Panel title="Notifications of this browser">
      <div className="flex flex-wrap items-center gap-3 px-4 py-3 text-sm">
        <span className="min-w-0 flex-1 text-muted">{state === 'on' && hasPush ? WITH_PUSH : LABELS[state]}</span>
        {state === 'on' && (
          <label className="flex items-center gap-2">
            <input
              type="checkbox"
              checked={sound}
              onChange={(event) => void switchSound(event.target.checked).catch(failed)}
            />
            With sound
          </label>
        )}
        {state === 'on' && hasPush && (
          <Button size="sm" icon="send" does="POST /api/push/test" runs={testing}>
            Send a test to this browser
          </Button>
        )}
        {(state === 'on' || state === 'off') && (
          <Button
            size="sm"
            icon="hand"
            does="POST /api/push"
            busy={switching.isPending}
            onClick={() => switching.mutate(state === 'off')}
          >
            {state === 'off' ? 'Notify me here' : 'Stop notifying me here'}
          </Button>
        )}
      </div>
    </Panel>
  )
}

function failed(error: Error): void {
  toast({ tone: 'bad', title: error.message, detail: hintOf(error) })
}
