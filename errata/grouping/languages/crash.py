"""What version 3 knows of native crashes: the frames of systems, of drivers and of those who report one.

The patterns are RE2's: their time grows with the length of a name alone, whoever made it.
"""

from __future__ import annotations

from functools import lru_cache

import re2

from errata.grouping.languages.native import NATIVE, own_name
from errata.grouping.shape import FrameShape

_FAULT = re2.compile(
    r"(?i)(?:Fatal Error: ?)?(?:SIG(?:SEGV|BUS|ABRT|ILL|TRAP|FPE|SYS|KILL|QUIT)|EXC_\w+|EXCEPTION_\w+"
    r"|STATUS_\w+|KERN_\w+"
    r"|0x(?:c|8)[0-9a-f]{7}|Segfault|Segmentation fault|Abort(?:ed)?|Bus error|Trap|Minidump"
    r"|CrashedException)\b.*"
)
# Between the bug and the handler: how systems abort, assert, throw, allocate and copy.
_SYSTEM = re2.compile(
    r"(?:__GI_|__libc_|__pthread_|__new_|__)?(?:abort|raise|kill|tgkill|pthread_kill"
    r"|pthread_kill_implementation"
    r"|pthread_kill_internal|message|syscall|exit|_exit|free|cfree|malloc|calloc|realloc"
    r"|operator (?:new|delete)(?:\[\])?"
    r"|memcpy|memmove|memset|memcmp|memchr|strlen|strcpy|strncpy|strcat|strcmp|strncmp|strchr|strdup"
    r"|wcslen|printf|vfprintf"
    r"|sprintf|vsnprintf|puts|fwrite|fclose|qsort|bsearch|longjmp|poll|select|epoll_wait|read|write"
    r"|nanosleep|wait\w*)"
    r"(?:_(?:unaligned|avx2?|avx512|evex(?:512)?|sse[24]2?|ssse3|aarch64|simd|back|erms|rtm|chk"
    r"|impl|implementation|internal|base|inner|zone|default)){0,4}(?:\(.*)?"
    r"|_?_?(?:pthread_kill|abort_message|assert_rtn|assert_fail\w*|assertfail|wassert|_wassert"
    r"|fortify_fail|stack_chk_fail"
    r"|chk_fail|GI___\w+|libc_fatal|libc_message|malloc_printerr|int_free\w*|int_malloc|munmap_chunk"
    r"|purecall|cxa_\w+"
    r"|CxxThrowException|invalid_parameter\w*|invoke_watson|report_gsfailure|fastfail|security_\w+"
    r"|restore_rt|sigtramp"
    r"|kernel_vsyscall|os_crash\w*|os_unfair\w*|ubsan_\w+|asan_\w+|sanitizer\w*|tsan_\w+)(?:[^:]*)"
    r"|_purecall|__cxa_pure_virtual|common_assert_to_\w+.*|__acrt_\w+|__scrt_\w+|_?Crt\w+"
    r"|RaiseException|RaiseFailFast\w*"
    r"|Kernel\w*Fault|KiUser\w+|Rtl\w+|Nt\w+|Zw\w+|Ldr\w+|BaseThread\w+|UnhandledExceptionFilter"
    r"|TerminateProcess|HeapFree"
    r"|HeapAlloc|DebugBreak|DispatchMessage\w*|CallWindowProc\w*|mach_msg\w*|_?start|start_thread"
    r"|clone\d?|thread_start"
    r"|_pthread_(?:start|body|wqthread)|szone_\w+|tiny_\w+|nanov2_\w+|_malloc_\w+|mfm_\w+|libsystem_\w+"
    r"|objc_(?:msgSend|retain|release|exception)\w*|_objc_\w+"
    r"|-\[NSException .*|\+\[NSException .*|NSRangeException"
    r"|swift_\w+|_?swift_\w+|Swift\.\w{0,20}(?:[fF]atal|assert|precondition)\w*(?:\(.*)?"
    r"|(?:specialized )?_(?:assertionFailure|fatalErrorMessage).*"
    r"|qt_message_fatal|QMessageLogger::.*|qt_assert\w*|g_(?:assertion\w*|log\w*|error)|rust_oom|__rust_\w+"
    r"|(?:google|logging|base|absl)::(?:\w{1,40}::){0,3}~?(?:Log|Check|Fatal|Raw)\w{0,40}(?:\(.*)?"
    r"|MOZ_Crash\w*|mozalloc_\w+|art::.*"
    r"|JNI\w+|_JNIEnv::.*"
)
_STANDARD = re2.compile(
    r"(?:<?(?:std|core|alloc|__gnu_cxx|boost|__1|stdext|Concurrency|winrt)(?:::|\W))|_Z?NSt|void std::"
)
# Of those who show pictures: their frames follow the machine, not the bug.
_DRIVER = re2.compile(
    r"(?i)(?:.*/)?(?:nv(?:og|wgf|d3d|cuda|lddm)\w*|libnvidia[\w-]*|libGLX?_?nvidia\w*|libcuda|nvidia\w*"
    r"|ati\w+|amd\w*|aticfx\w*"
    r"|ig(?:d|c|x|vk)\w*|\w+_dri|libGLES\w*|libvulkan_\w+|libgallium\w*|AMD\w+Driver|AppleIntel\w+"
    r"|AGX\w+|GeForce\w+"
    r"|d3d\d+\w*|dxgi|opengl32|libGL)(?:[.-][\w.-]*)?"
)
_DRIVER_FUNCTION = re2.compile(
    r"(?:Drv[A-Z]\w+|vk_icd\w+|vk_optimus\w*|__dri\w+|OpenAdapter\w*|NvAPI_\w+|nv[A-Z]\w+"
    r"|radeonsi?_\w+|si_[a-z_]+|iris_\w+"
    r"|i9[16]5_\w+|gldriver\w*|gl(?:d|p)[A-Z]\w+|amdgpu_\w+|nouveau_\w+|llvmpipe_\w+|loader_dri\w+"
    r"|DXGI\w+|D3D\w+)"
)
# Of the program itself, where it ends on purpose.
_ASSERTS = re2.compile(
    r"(?i)(?:.*(?:::|\.|\s|_))?(?:\w*(?:assert|panic|fatal|abort|crash|die|bail|unreachable|terminate)\w*"
    r"|fail|check_?failed)"
)
_ASSERTION = re2.compile(r"(?i)assert|precondition|fatal error:|panic|CHECK failed|unexpectedly found nil")


# A lambda, where the debugger does not say of what.
_UNNAMED = frozenset({"", "operator()", "lambda"})
_NAMELESS = "nothing in it that lasts"


def is_fault(type_: str) -> bool:
    """What the system calls a crash: it differs between systems for one bug."""
    return _FAULT.fullmatch(type_) is not None


# Events of one program repeat its frames, and the patterns are long.
@lru_cache(maxsize=4096)
def kind_of(frame: FrameShape) -> str:
    """Why a frame is not the program's; empty for one that may be."""
    function = frame.function
    if not function:
        return _NAMELESS
    if _SYSTEM.fullmatch(function) or _STANDARD.match(function) or NATIVE.is_generated(frame):
        return "of the system"
    if _DRIVER.fullmatch(frame.module or frame.file.rpartition("/")[2]) or _DRIVER_FUNCTION.match(function):
        return "of a driver"
    if NATIVE.is_library(frame):
        return "of a known library"
    return _NAMELESS if own_name(function) in _UNNAMED else ""


@lru_cache(maxsize=4096)
def ends_on_purpose(frame: FrameShape) -> bool:
    return _ASSERTS.fullmatch(own_name(frame.function)) is not None


def is_assertion(template: str) -> bool:
    return _ASSERTION.search(template) is not None
