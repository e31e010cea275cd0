// One program, many ways to crash: `crashes BUG PATH`.
#include <algorithm>
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace shop {
struct Line { std::string sku; int quantity; };
struct Customer { std::string *name; };
struct Renderer {
    virtual ~Renderer() = default;
    virtual int draw(int) = 0;
    int begin() { return frame(); }
    __attribute__((noinline)) int frame() { return draw(1); }
};
struct Screen : Renderer { int draw(int depth) override { return depth; } };

struct Cart {
    std::vector<Line> lines;
    Customer *customer = nullptr;
    __attribute__((noinline)) size_t greet() { return customer->name->size(); }
    __attribute__((noinline)) int first() { return lines.at(3).quantity; }
    __attribute__((noinline)) void check() { assert(!lines.empty()); }
    __attribute__((noinline)) void checkOwner() { assert(customer != nullptr); }
    __attribute__((noinline)) int perPiece(int total) { return total / static_cast<int>(lines.size()); }
};

__attribute__((noinline)) void releaseTwice(char *text) { free(text); free(text); }
__attribute__((noinline)) size_t measure(const char *text) { return strlen(text); }
__attribute__((noinline)) void fill(char *target) { memset(target, 1, 1 << 30); }
__attribute__((noinline)) void decline() { throw std::runtime_error("payment declined"); }
__attribute__((noinline)) void giveUp() { abort(); }
__attribute__((noinline)) void sortAll(std::vector<Line *> &lines) {
    std::sort(lines.begin(), lines.end(), [](Line *a, Line *b) { return a->quantity < b->quantity; });
}
__attribute__((noinline)) int parse(const std::string &text) { return std::stoi(text); }
__attribute__((noinline)) int depth(int n, volatile char *at) {
    char block[4096]; block[0] = at ? at[0] : 0; return depth(n + 1, block) + block[0];
}
__attribute__((noinline)) void callEmpty() { std::function<int(int)> none; none(3); }
}  // namespace shop

static volatile int zero = 0;
static void bug(const std::string &name) {
    using namespace shop;
    Cart cart;
    if (name == "null customer") std::printf("%zu", cart.greet());
    if (name == "no fourth line") std::printf("%d", cart.first());
    if (name == "empty cart") cart.check();
    if (name == "owner missing") cart.checkOwner();
    if (name == "divided by nothing") std::printf("%d", cart.perPiece(7 + zero));
    if (name == "released twice") releaseTwice(static_cast<char *>(malloc(64)));
    if (name == "length of null") std::printf("%zu", measure(zero ? "" : nullptr));
    if (name == "filled too far") fill(static_cast<char *>(malloc(64)));
    if (name == "declined") decline();
    if (name == "gave up") giveUp();
    if (name == "sorted nulls") { std::vector<Line *> lines(40, nullptr); sortAll(lines); }
    if (name == "number of words") std::printf("%d", parse("many"));
    if (name == "endless") std::printf("%d", depth(0, nullptr));
    if (name == "empty callback") callEmpty();
    if (name == "freed screen") {
        auto *screen = new Screen; Renderer *again = screen; void *saved = *(void **)screen; (void)saved;
        memset((void *)screen, 0, sizeof(Screen)); std::printf("%d", again->begin());
    }
}
__attribute__((noinline)) static void viaThread(const std::string &name) { std::thread(bug, name).join(); }
__attribute__((noinline)) static void viaCallback(const std::string &name) {
    std::function<void()> call = [&] { bug(name); };
    std::vector<int> once{1};
    std::for_each(once.begin(), once.end(), [&](int) { call(); });
}
__attribute__((noinline)) static void request(const std::string &name) { bug(name); std::puts("x"); }

int main(int, char **arguments) {
    std::string name = arguments[1], path = arguments[2];
    if (path == "thread") viaThread(name);
    if (path == "callback") viaCallback(name);
    if (path == "request") request(name);
}
