-- purpose: whether the function that a cause names may be an SDK's wrapper of a handler, by its caller and its name: the rules of errata/performance/script.py
(
    match(invoker, '\\.on[a-z]+$|^(?:TimerHandler:set(?:Timeout|Interval)|FrameRequestCallback)$')
    and (function = 'sentryWrapped' or lengthUTF8(function) between 1 and 2)
)
